import type { Parameters, Route } from './router'

/** Pages, each loaded when it is first opened. */
const ROUTES: readonly Route[] = [
  { pattern: '', load: () => import('../pages/home') },
  { pattern: 'd/:dataset', load: () => import('../pages/leaderboard') },
  { pattern: 'd/:dataset/words', load: () => import('../pages/words') },
  { pattern: 'd/:dataset/words/:word', load: () => import('../pages/word') },
  { pattern: 'd/:dataset/images', load: () => import('../pages/images') },
  { pattern: 'd/:dataset/images/:image', load: () => import('../pages/image') },
  { pattern: 'd/:dataset/systems/:system', load: () => import('../pages/system') },
  { pattern: 'd/:dataset/compare/:first/:second', load: () => import('../pages/compare') },
  { pattern: 'd/:dataset/agreement', load: () => import('../pages/agreement') },
  { pattern: 'd/:dataset/selection', load: () => import('../pages/selection') },
  { pattern: 'd/:dataset/bounds', load: () => import('../pages/bounds') },
  { pattern: 'composites/:name', load: () => import('../pages/composite') },
  { pattern: 'challenges', load: () => import('../pages/challenges') },
  { pattern: 'challenges/new', load: () => import('../pages/challenge-new'), isLive: true },
  { pattern: 'challenges/:challenge/host', load: () => import('../pages/challenge-host'), isLive: true },
  { pattern: 'challenges/:challenge', load: () => import('../pages/challenge') },
  { pattern: 'challenges/:challenge/submit', load: () => import('../pages/submit'), isLive: true },
  { pattern: 'challenges/:challenge/:phase', load: () => import('../pages/challenge-board') },
  { pattern: 'metrics', load: () => import('../pages/metrics') },
  { pattern: 'jobs', load: () => import('../pages/jobs'), isLive: true },
  { pattern: 'import', load: () => import('../pages/import'), isLive: true },
  { pattern: 'collect/:name', load: () => import('../pages/collect'), isLive: true },
  { pattern: 'collect/:name/host', load: () => import('../pages/collection-host'), isLive: true },
  { pattern: 'sign-in', load: () => import('../pages/sign-in'), isLive: true },
  { pattern: 'sign-up', load: () => import('../pages/sign-up'), isLive: true },
  { pattern: 'reset', load: () => import('../pages/reset'), isLive: true },
  { pattern: 'account', load: () => import('../pages/account'), isLive: true },
]

/** The page of a path, and its parameters. */
export function findRoute(path: string): { route: Route; parameters: Parameters } | undefined {
  for (const route of ROUTES) {
    const parameters = match(route.pattern, path)
    if (parameters) return { route, parameters }
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
