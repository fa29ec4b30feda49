% The first mode of a cantilever with one slider in NLvib under Octave, for bench/joints: extended periodic motion concept, frequency and damping over the modal amplitude.
% NLvib is not packaged: the folder with its SRC is given by the user.
%
%     octave-cli nlvib_joints.m NLVIB MASS STIFFNESS COORDINATE SPRING LIMIT HARMONICS SAMPLES LOG10_FROM LOG10_TO STEP
%
% MASS and STIFFNESS are Matrix Market files of symmetric matrices. The last line of stdout is one JSON document.
words = argv();
addpath(fullfile(words{1}, 'SRC'));
number = @(i) str2double(words{i});
function A = read_matrix(path)
    lines = strsplit(strtrim(fileread(path)), "\n");
    lines = lines(cellfun(@(line) line(1) != '%', lines));
    terms = cell2mat(cellfun(@(line) sscanf(line, '%f')', lines(2:end)', 'UniformOutput', false));
    size_ = sscanf(lines{1}, '%f');
    A = zeros(size_(1), size_(2));
    for t = 1:rows(terms)
        A(terms(t, 1), terms(t, 2)) = A(terms(t, 2), terms(t, 1)) = terms(t, 3);
    end
end
M = read_matrix(words{2});
K = read_matrix(words{3});
n = rows(M);
W = zeros(n, 1);
W(number(4)) = 1;
H = number(7);
N = number(8);
slider = struct('type', 'elasticDryFriction', 'stiffness', number(5), 'friction_limit_force', number(6), 'ishysteretic', true, 'islocal', true, 'force_direction', W);
beam = struct('M', M, 'D', 0 * M, 'K', K, 'nonlinear_elements', {{slider}});

% start: the slider stuck
[shapes, squares] = eig(K + number(5) * (W * W'), M);
[squares, order] = sort(diag(squares));
shape = shapes(:, order(1));
shape = shape / sqrt(shape' * M * shape);
x0 = zeros((2 * H + 1) * n + 2, 1);
x0(n + (1:n)) = shape;
x0(end - 1) = sqrt(squares(1));
scale = mean(abs(K * shape));
options = struct('dynamicDscale', 1, 'stepmax', 5000, 'dsmax', number(11));
before = cputime();
solver = optimset('Display', 'off', 'Jacobian', 'on', 'MaxIter', 50);
X = solve_and_continue(x0, @(X) HB_residual(X, beam, H, N, 'nma', n - 1, scale), number(9), number(10), number(11), options, {}, solver);
seconds = cputime() - before;

% at the middle of the range, between the points
at = 0.5 * (number(9) + number(10));
frequency = interp1(X(end, :), X(end - 2, :), at, 'spline');
damping = interp1(X(end, :), X(end - 1, :), at, 'spline');
printf('\n{"name": "NLvib under Octave %s", "points": %d, "frequency": %.17g, "damping": %.17g, "seconds": %.9g}\n', OCTAVE_VERSION(), size(X, 2), frequency, damping, seconds);
