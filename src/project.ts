import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folder of the package, for the sources and for the build in `dist/`. */
const root = findRoot(new URL('.', import.meta.url))

/** Path of a file of the package, such as `schema.graphql`. */
export function projectFile(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** Version of Accord. */
export const VERSION: string = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version

function findRoot(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : findRoot(new URL('..', folder))
}
