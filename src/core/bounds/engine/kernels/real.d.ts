/** The type of numbers: f32 or f64, as the targets in asconfig.json say. */
declare type Real = f64
