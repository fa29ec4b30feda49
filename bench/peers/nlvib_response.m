% Griffin's damper (eta = 0) in NLvib under Octave, for bench/response. NLvib is not packaged: the folder with its SRC is given by the user.
%
%     octave-cli nlvib_response.m NLVIB HARMONICS SAMPLES STEP REPEAT
%
%     v'' + 2 zeta v' + v = sin(theta) - f,  |f| <= beta,  theta = Omega t,  Omega from 0.5 to 2
%
% The last line of stdout is one JSON document.
words = argv();
addpath(fullfile(words{1}, 'SRC'));
H = str2double(words{2});
N = str2double(words{3});
ds = str2double(words{4});
repeat = str2double(words{5});
k_d = 1.5; zeta = 0.1; beta_ = 0.6; from = 0.5; to = 2.0;

% its residual only asks for these fields of a system
damper = struct('type', 'elasticDryFriction', 'stiffness', k_d, 'friction_limit_force', beta_, 'ishysteretic', true, 'islocal', true, 'force_direction', 1);
oscillator = struct('M', 1, 'D', 2 * zeta, 'K', 1, 'Fex1', -1i, 'nonlinear_elements', {{damper}});

% start: the damper stuck
Q = -1i / (1 + k_d - from^2 + 2i * zeta * from);
x0 = [0; real(Q); -imag(Q); zeros(2 * (H - 1), 1)];
seconds = zeros(1, repeat);
for i = 1:repeat
    before = cputime();
    X = solve_and_continue(x0, @(X) HB_residual(X, oscillator, H, N, 'frf'), from, to, ds, struct('stepmax', 5000, 'dsmax', ds));
    seconds(i) = cputime() - before;
end
amplitude = sqrt(X(2, :).^2 + X(3, :).^2);

% the peak, between the points: a parabola through the highest three
[~, top] = max(amplitude);
top = min(max(top, 2), numel(amplitude) - 1);
p = polyfit(X(end, top + (-1:1)) - X(end, top), amplitude(top + (-1:1)), 2);
peak = p(3) - p(2)^2 / (4 * p(1));
times = sprintf('%.9g, ', seconds);
printf('\n{"name": "NLvib under Octave %s", "points": %d, "samples": %d, "peak": %.17g, "seconds": [%s]}\n', OCTAVE_VERSION(), size(X, 2), N, peak, times(1:end - 2));
