import { findPattern, type Pattern } from './paths'
import type { Parameters, Route } from './router'

/** Pages by the pattern of their path, each loaded when it is first opened. */
const ROUTES: Readonly<Record<Pattern, Route>> = {
  '': { load: () => import('../pages/home') },
  'd/:dataset': { load: () => import('../pages/leaderboard') },
  'd/:dataset/words': { load: () => import('../pages/words') },
  'd/:dataset/words/:word': { load: () => import('../pages/word') },
  'd/:dataset/images': { load: () => import('../pages/images') },
  'd/:dataset/images/:image': { load: () => import('../pages/image') },
  // Orders and filters are asked of a server.
  'd/:dataset/explore': { load: () => import('../pages/explore'), isLive: true },
  'd/:dataset/systems/:system': { load: () => import('../pages/system') },
  'd/:dataset/compare/:first/:second': { load: () => import('../pages/compare') },
  'd/:dataset/agreement': { load: () => import('../pages/agreement') },
  'd/:dataset/selection': { load: () => import('../pages/selection') },
  'd/:dataset/bounds': { load: () => import('../pages/bounds') },
  'composites/:name': { load: () => import('../pages/composite') },
  challenges: { load: () => import('../pages/challenges') },
  'challenges/new': { load: () => import('../pages/challenge-new'), isLive: true },
  'challenges/:challenge/host': { load: () => import('../pages/challenge-host'), isLive: true },
  'challenges/:challenge': { load: () => import('../pages/challenge') },
  'challenges/:challenge/submit': { load: () => import('../pages/submit'), isLive: true },
  'challenges/:challenge/:phase': { load: () => import('../pages/challenge-board') },
  metrics: { load: () => import('../pages/metrics') },
  jobs: { load: () => import('../pages/jobs'), isLive: true },
  import: { load: () => import('../pages/import'), isLive: true },
  'collect/:name': { load: () => import('../pages/collect'), isLive: true },
  'collect/:name/host': { load: () => import('../pages/collection-host'), isLive: true },
  'sign-in': { load: () => import('../pages/sign-in'), isLive: true },
  'sign-up': { load: () => import('../pages/sign-up'), isLive: true },
  reset: { load: () => import('../pages/reset'), isLive: true },
  account: { load: () => import('../pages/account'), isLive: true },
}

/** The page of a path, and its parameters. */
export function findRoute(path: string): { route: Route; parameters: Parameters } | undefined {
  const found = findPattern(path)
  return found && { route: ROUTES[found.pattern], parameters: found.parameters }
}
