/** The part of the WebAssembly API that the kernels use; TypeScript declares it only for browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true })
    readonly buffer: SharedArrayBuffer
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
}
