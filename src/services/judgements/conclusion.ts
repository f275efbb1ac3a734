import type { JudgedMetric, JudgeReport } from './judge.js'

/** What the figures say, in one sentence. */
export function conclusionOf({ kind, rows }: Pick<JudgeReport, 'kind' | 'rows'>): string {
  const [best] = rows
  const systems = systemsSentence(rows)
  if (systems !== null) return systems
  const { figures } = best
  const value = figures.kind === 'RATINGS' ? figures.tauC : figures.mean
  if (value === null) return 'No metric has a figure of agreement with people.'
  const figure = kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  const tied = rows.slice(1).filter(({ cluster }) => cluster.cluster === 1)
  const tail =
    rows.length === 1
      ? ''
      : tied.length === 0
        ? ', significantly better than all others'
        : `; ${listOf(tied)} ${tied.length === 1 ? 'does' : 'do'} not differ from it significantly`
  return `${best.metric} agrees best with people (${figure} ${value.toFixed(3)})${tail}.`
}

/** Which metrics rank systems as people do; null without systems. */
function systemsSentence(rows: readonly JudgedMetric[]): string | null {
  const [{ contests }] = rows
  const all = contests?.all.systemLevel
  if (!all) return null
  const machines = contests?.withoutPeople?.systemLevel
  if (!machines) return `${rankingMetrics(rows, 'all')} the ${all.systems.length} systems as people do.`
  const ranking = `${rankingMetrics(rows, 'withoutPeople')} the ${machines.systems.length} systems as people do`
  const still = agreeing(rows, 'all')
  const rest =
    still.length === 0
      ? 'none does'
      : still.length === rows.length
        ? 'all still do'
        : still.length > MAX_NAMES
          ? `${still.length} do`
          : `only ${listOf(still)} ${still.length === 1 ? 'does' : 'do'}`
  return `${ranking}; with people among the systems ${rest}.`
}

/** More metrics are counted, not named. */
const MAX_NAMES = 4

function rankingMetrics(rows: readonly JudgedMetric[], contest: 'all' | 'withoutPeople'): string {
  const count = agreeing(rows, contest).length
  if (rows.length === 1) return `${rows[0].metric} ${count === 1 ? 'ranks' : 'does not rank'}`
  if (count === rows.length) return `All ${count} metrics rank`
  return `${count} of ${rows.length} metrics ${count === 1 ? 'ranks' : 'rank'}`
}

function agreeing(rows: readonly JudgedMetric[], contest: 'all' | 'withoutPeople'): JudgedMetric[] {
  return rows.filter(({ contests }) => contests?.[contest]?.systemLevel?.pairwiseAccuracy === 1)
}

function listOf(rows: readonly JudgedMetric[]): string {
  const names = rows.map(({ metric }) => metric)
  if (names.length > MAX_NAMES) return `${names.length} others`
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
