// Two blocks of four elements, the lower one drawn clockwise: gmsh -2 -order 2 -format msh41 blocks.geo (t6); with
// "Recombine Surface {1, 2}; Mesh.SecondOrderIncomplete = 1;" added for q8.
Point(1) = {0, 0, 0, 1}; Point(2) = {2, 0, 0, 1}; Point(3) = {2, 1, 0, 1}; Point(4) = {0, 1, 0, 1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {-1, -4, -3, -2}; Plane Surface(1) = {1};
Point(11) = {0, 1, 0, 1}; Point(12) = {2, 1, 0, 1}; Point(13) = {2, 2, 0, 1}; Point(14) = {0, 2, 0, 1};
Line(11) = {11, 12}; Line(12) = {12, 13}; Line(13) = {13, 14}; Line(14) = {14, 11};
Curve Loop(2) = {11, 12, 13, 14}; Plane Surface(2) = {2};
Transfinite Curve {1, 3, 11, 13} = 3; Transfinite Curve {2, 4, 12, 14} = 2;
Transfinite Surface {1}; Transfinite Surface {2};
Physical Surface("below") = {1}; Physical Surface("above") = {2};
Physical Curve("bottom") = {1}; Physical Curve("below.contact") = {3}; Physical Curve("above.contact") = {11}; Physical Curve("top") = {13};
Physical Curve("sides") = {2, 4};
