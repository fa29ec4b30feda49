// A beam like that of Brake and Reuss, 720 x 25.4 x 25.4 mm, of two halves that overlap by 120 mm at half their height; lengths in m.
// The halves stand 0.1 mm apart, so that their nodes remain two.
// gmsh -3 brake_reuss.geo -format msh41
h = 0.0127; w = 0.0254; lap = 0.06; end = 0.36; apart = 0.0001;
Macro Half // s: 1 or -1, the side to which it laps over the other; y: its middle; f: first point
  Point(f+1) = {-s*end, y-h, 0}; Point(f+2) = {-s*lap, y-h, 0}; Point(f+3) = {-s*lap, y, 0}; Point(f+4) = {-s*end, y, 0};
  Point(f+5) = {-s*lap, y+h, 0}; Point(f+6) = {-s*end, y+h, 0};
  Point(f+7) = {s*lap, y, 0}; Point(f+8) = {s*lap, y+s*h, 0};
  Line(f+1) = {f+1, f+2}; Line(f+2) = {f+2, f+3}; Line(f+3) = {f+3, f+4}; Line(f+4) = {f+4, f+1};
  Line(f+5) = {f+3, f+5}; Line(f+6) = {f+5, f+6}; Line(f+7) = {f+6, f+4};
  Curve Loop(f+1) = {f+1, f+2, f+3, f+4}; Curve Loop(f+2) = {-(f+3), f+5, f+6, f+7};
  Plane Surface(f+1) = {f+1}; Plane Surface(f+2) = {f+2};
  Line(f+8) = {f+3, f+7}; Line(f+9) = {f+7, f+8};
  If (s > 0)
    Line(f+10) = {f+8, f+5}; Curve Loop(f+3) = {f+8, f+9, f+10, -(f+5)};
  Else
    Line(f+10) = {f+8, f+2}; Curve Loop(f+3) = {f+8, f+9, f+10, f+2};
  EndIf
  Plane Surface(f+3) = {f+3};
  Transfinite Curve {f+1, f+3, f+6} = 13; Transfinite Curve {f+8, f+10} = 9;
  Transfinite Curve {f+2, f+4, f+5, f+7, f+9} = 2;
  Transfinite Surface {f+1, f+2, f+3}; Recombine Surface {f+1, f+2, f+3};
  For k In {1:3}
    Extrude {0, 0, w} { Surface{f+k}; Layers{2}; Recombine; }
  EndFor
Return
s = 1; y = 0; f = 100; Call Half;
s = -1; y = -apart; f = 200; Call Half;
e = 1e-5;
Physical Volume("LEFT") = {1, 2, 3}; Physical Volume("RIGHT") = {4, 5, 6};
Physical Surface("UPPER") = Surface In BoundingBox {-lap-e, -e, -e, lap+e, e, w+e};
Physical Surface("LOWER") = Surface In BoundingBox {-lap-e, -apart-e, -e, lap+e, -apart+e, w+e};
