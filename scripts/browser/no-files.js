// Files, which a browser does not have: the library reads their content.
export const [
  accessSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
  getSystemErrorMap,
] = []
export const constants = {}

export class Gunzip {
  constructor() {
    throw new Error('a gzip file: decompress it first, for example by DecompressionStream')
  }
}
