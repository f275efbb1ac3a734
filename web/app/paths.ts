import type { Parameters } from './router'

/** The paths of all pages. Segments that begin with a colon are parameters; the first pattern that a path has counts. */
const PATTERNS = [
  '',
  'd/:dataset',
  'd/:dataset/words',
  'd/:dataset/words/:word',
  'd/:dataset/images',
  'd/:dataset/images/:image',
  'd/:dataset/explore',
  'd/:dataset/systems/:system',
  'd/:dataset/compare/:first/:second',
  'd/:dataset/agreement',
  'd/:dataset/selection',
  'd/:dataset/bounds',
  'composites/:name',
  'challenges',
  'challenges/new',
  'challenges/:challenge/host',
  'challenges/:challenge',
  'challenges/:challenge/submit',
  'challenges/:challenge/:phase',
  'metrics',
  'jobs',
  'import',
  'collect/:name',
  'collect/:name/host',
  'sign-in',
  'sign-up',
  'reset',
  'account',
] as const

export type Pattern = (typeof PATTERNS)[number]

/** The pattern of a path, and its parameters; undefined if no page has the path. */
export function findPattern(path: string): { pattern: Pattern; parameters: Parameters } | undefined {
  for (const pattern of PATTERNS) {
    const parameters = match(pattern, path)
    if (parameters) return { pattern, parameters }
  }
  return undefined
}

/** The parameters of a path, or undefined if it does not have the pattern. */
function match(pattern: string, path: string): Parameters | undefined {
  const [expected, found] = [pattern.split('/'), path.replace(/\/$/, '').split('/')]
  if (expected.length !== found.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, segment] of expected.entries()) {
    if (segment.startsWith(':')) parameters[segment.slice(1)] = decode(found[index])
    else if (segment !== found[index]) return undefined
  }
  return parameters
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
