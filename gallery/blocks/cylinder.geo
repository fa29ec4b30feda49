// A half-cylinder pressed on a block. Lengths in mm.
// gmsh -2 -format msh41 cylinder.geo
R = 20;      // radius of the cylinder
W = 60;      // half width of the block
H = 60;      // its height
a = 1.5;     // about half the contact
fine = 0.2;  // size of elements at the contact
coarse = 8;

// the half-cylinder above
Point(1) = {0, R, 0, coarse};
Point(2) = {-R, R, 0, coarse};
Point(3) = {R, R, 0, coarse};
Point(4) = {-3*a, R - Sqrt(R*R - 9*a*a), 0, fine*2};
Point(5) = {3*a, R - Sqrt(R*R - 9*a*a), 0, fine*2};
Circle(1) = {2, 1, 4};
Circle(2) = {4, 1, 5};
Circle(3) = {5, 1, 3};
Line(4) = {3, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

// the block below, with a top of its own
Point(11) = {-W, 0, 0, coarse};
Point(12) = {-W, -H, 0, coarse};
Point(13) = {W, -H, 0, coarse};
Point(14) = {W, 0, 0, coarse};
Point(15) = {3*a, 0, 0, fine*2};
Point(16) = {-3*a, 0, 0, fine*2};
Line(11) = {11, 12};
Line(12) = {12, 13};
Line(13) = {13, 14};
Line(14) = {14, 15};
Line(15) = {15, 16};
Line(16) = {16, 11};
Curve Loop(11) = {11, 12, 13, 14, 15, 16};
Plane Surface(11) = {11};

// fine elements at the contact, growing with the distance from it
Field[1] = Distance;
Field[1].CurvesList = {2, 15};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = fine;
Field[2].SizeMax = coarse;
Field[2].DistMin = 0.3;
Field[2].DistMax = 30;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.Algorithm = 6;
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;

Physical Surface("cylinder") = {1};
Physical Surface("block") = {11};
Physical Curve("cylinder.contact") = {2};
Physical Curve("cylinder.top") = {4};
Physical Curve("block.contact") = {15};
Physical Curve("block.bottom") = {12};
