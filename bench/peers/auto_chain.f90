! The one-harmonic equations of a ring of twelve oscillators for AUTO-07p: the same 25 unknowns and 25 equations that
! Amontons balances, in closed form, with exact derivatives. U = (a_1, b_1, a_2, b_2, ..., omega), PAR(1) = xi1.
!
!     x_n = a_n cos(omega t) + b_n sin(omega t),  c_n = q2 - 3/4 q3 w^2 A_n^2 + 5/8 q4 w^4 A_n^4
!     s a_n - eta (a_(n-1) + a_(n+1)) + c_n w b_n = 0,  s = 1 - w^2 + 2 eta
!     s b_n - eta (b_(n-1) + b_(n+1)) - c_n w a_n = 0
!     b_1 = 0                                                                     (the phase)

module ring
  implicit none
  integer, parameter :: masses = 12
  double precision, parameter :: pi = 3.14159265358979323846d0
  double precision, parameter :: eta = 0.01d0, omega0 = 2*pi
  double precision, parameter :: q3 = 2*0.3d0*omega0**2, q4 = 2*0.1d0*omega0**4
end module ring

subroutine func(ndim, u, icp, par, ijac, f, dfdu, dfdp)
  use ring
  implicit none
  integer, intent(in) :: ndim, icp(*), ijac
  double precision, intent(in) :: u(ndim), par(*)
  double precision, intent(out) :: f(ndim)
  double precision, intent(inout) :: dfdu(ndim, ndim), dfdp(ndim, *)
  integer :: n, i, left, right
  double precision :: w, s, a, b, g, c, c_g, c_w

  w = u(ndim)
  s = 1 - w**2 + 2*eta
  f(ndim) = u(2)
  if (ijac /= 0) then
    dfdu = 0
    dfdu(ndim, 2) = 1
  end if
  if (ijac == 2) dfdp(:, 1) = 0
  do n = 1, masses
    i = 2*n - 1
    left = 2*modulo(n - 2, masses) + 1
    right = 2*modulo(n, masses) + 1
    a = u(i)
    b = u(i + 1)
    g = a**2 + b**2
    c = 2*par(1) - 0.75d0*q3*w**2*g + 0.625d0*q4*w**4*g**2
    f(i) = s*a - eta*(u(left) + u(right)) + c*w*b
    f(i + 1) = s*b - eta*(u(left + 1) + u(right + 1)) - c*w*a
    if (ijac == 0) cycle
    c_g = -0.75d0*q3*w**2 + 1.25d0*q4*w**4*g
    c_w = -1.5d0*q3*w*g + 2.5d0*q4*w**3*g**2
    dfdu(i, i) = s + 2*c_g*a*w*b
    dfdu(i, i + 1) = c*w + 2*c_g*b*w*b
    dfdu(i + 1, i) = -c*w - 2*c_g*a*w*a
    dfdu(i + 1, i + 1) = s - 2*c_g*b*w*a
    dfdu(i, left) = -eta
    dfdu(i, right) = -eta
    dfdu(i + 1, left + 1) = -eta
    dfdu(i + 1, right + 1) = -eta
    dfdu(i, ndim) = -2*w*a + (c + c_w*w)*b
    dfdu(i + 1, ndim) = -2*w*b - (c + c_w*w)*a
    if (ijac == 1) cycle
    dfdp(i, 1) = 2*w*b
    dfdp(i + 1, 1) = -2*w*a
  end do
end subroutine func

! The start is a solution, from the file `start`: xi1, then the unknowns.
subroutine stpnt(ndim, u, par, t)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(inout) :: u(ndim), par(*)
  double precision, intent(in) :: t
  open(77, file='start', action='read')
  read(77, *) par(1), u
  close(77)
  u(ndim) = u(ndim) + 0*t
end subroutine stpnt

subroutine bcnd(ndim, par, icp, nbc, u0, u1, fb, ijac, dbc)
  integer, intent(in) :: ndim, icp(*), nbc, ijac
  double precision, intent(in) :: par(*), u0(ndim), u1(ndim)
  double precision, intent(out) :: fb(nbc)
  double precision, intent(inout) :: dbc(nbc, *)
end subroutine bcnd

subroutine icnd(ndim, par, icp, nint, u, uold, udot, upold, fi, ijac, dint)
  integer, intent(in) :: ndim, icp(*), nint, ijac
  double precision, intent(in) :: par(*), u(ndim), uold(ndim), udot(ndim), upold(ndim)
  double precision, intent(out) :: fi(nint)
  double precision, intent(inout) :: dint(nint, *)
end subroutine icnd

subroutine fopt(ndim, u, icp, par, ijac, fs, dfdu, dfdp)
  integer, intent(in) :: ndim, icp(*), ijac
  double precision, intent(in) :: u(ndim), par(*)
  double precision, intent(out) :: fs
  double precision, intent(inout) :: dfdu(ndim), dfdp(*)
end subroutine fopt

subroutine pvls(ndim, u, par)
  integer, intent(in) :: ndim
  double precision, intent(in) :: u(ndim)
  double precision, intent(inout) :: par(*)
end subroutine pvls
