// What the host gives to the kernels, beside their memory.

export declare function exp(x: f64): f64
