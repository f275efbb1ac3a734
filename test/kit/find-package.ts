import { createRequire } from 'node:module'
import { delimiter } from 'node:path'

/**
 * A package that only some tests need, and that `.ci/run` installs beside the project. Undefined where it is neither below the
 * working directory nor in the folders of NODE_PATH.
 */
export function findPackage<Package>(name: string): Package | undefined {
  const require = createRequire(import.meta.url)
  const paths = [process.cwd(), ...(process.env.NODE_PATH ?? '').split(delimiter).filter(Boolean)]
  try {
    return require(require.resolve(name, { paths }))
  } catch {
    return undefined
  }
}
