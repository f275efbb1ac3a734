import { mainFigure } from '../../core/judgements/meta-evaluation.js'
import { counted, fixed, showP } from '../../shared/numbers.js'
import type { JudgedMetric, JudgeReport } from './judge.js'

/** What the figures say, in a few sentences. */
export function conclusionOf({ kind, rows }: Pick<JudgeReport, 'kind' | 'rows'>): string {
  const compared = rows.filter(({ isChosenByJudgements }) => !isChosenByJudgements)
  if (compared.length === 0 && rows.length > 0) {
    return 'These judgements trained or chose every metric: none of them is compared.'
  }
  return [systemsSentence(compared), bestSentence(kind, compared), otherBestSentence(compared)]
    .filter((sentence) => sentence !== null)
    .join(' ')
}

/** Below it, a figure differs from chance, and two metrics differ. */
const SIGNIFICANCE = 0.05

/** Equal figures, computed from other sums, differ by less than this. */
const ROUNDING = 1e-9

/** Which metric agrees best with people, if one does by tests against chance and against every other metric. */
function bestSentence(kind: JudgeReport['kind'], rows: readonly JudgedMetric[]): string {
  const statistic = kind === 'RATINGS' ? 'τ-c' : 'mean accuracy'
  const chance = kind === 'RATINGS' ? 0 : 0.5
  const best = highest(rows, ({ figures }) => mainFigure(figures))
  if (best === null) return 'No metric has a figure of agreement with people.'
  const { names, value } = best
  const [{ chancePValue }] = best.rows
  if (chancePValue === null) {
    return `The highest ${statistic} is that of ${names} (${fixed(value)}); there are too few images for a test.`
  }
  if (chancePValue >= SIGNIFICANCE || value <= chance) {
    const p = `p ${showP(chancePValue)}`
    const worse = rows.filter(
      (row) => (mainFigure(row.figures) ?? chance) < chance && (row.chancePValue ?? 1) < SIGNIFICANCE,
    )
    if (rows.length === 1) {
      const relation =
        worse.length === 1 ? 'is significantly worse than' : 'does not differ significantly from'
      return `${names} ${relation} chance (${statistic} ${fixed(value)}, ${p}).`
    }
    return `${worseThanChance(worse, rows)}: the highest ${statistic} is ${fixed(value)} (${names}, ${p}).`
  }
  if (rows.length === 1) return `${names} is significantly better than chance (${statistic} ${fixed(value)}).`
  const rivals = rows.filter(
    (row) => row.cluster && !best.rows.includes(row) && (row.cluster.bestPValue ?? 1) >= SIGNIFICANCE,
  )
  if (best.rows.length === 1 && rivals.length === 0) {
    return `${names} agrees best with people by ${statistic} (${fixed(value)}), significantly better than every other metric.`
  }
  const tie = rivals.length === 0 ? '' : `, but not significantly higher than that of ${listOf(rivals)}`
  return `The highest ${statistic} is that of ${names} (${fixed(value)})${tie}.`
}

/** What is said where no metric is better than chance. @param worse those of the metrics that are significantly worse */
function worseThanChance(worse: readonly JudgedMetric[], rows: readonly JudgedMetric[]): string {
  if (worse.length === rows.length) {
    return `${rows.length === 2 ? 'Both' : `All ${rows.length}`} metrics are significantly worse than chance`
  }
  const rest =
    worse.length === 0
      ? ''
      : `, and ${worse.length > MAX_NAMES ? `${worse.length} of ${rows.length} are` : `${listOf(worse)} ${worse.length === 1 ? 'is' : 'are'}`} significantly worse`
  return `No metric is significantly better than chance${rest}`
}

/** Figures by which another metric is the highest; null where there are none. */
function otherBestSentence(rows: readonly JudgedMetric[]): string | null {
  const best = highest(rows, ({ figures }) => mainFigure(figures))
  if (best === null) return null
  const others = otherFigures(rows).flatMap(({ name, figureOf }) => {
    const other = highest(rows, figureOf)
    const isOther = other !== null && !other.rows.some((row) => best.rows.includes(row))
    return isOther ? [`${other.names} by ${name} (${fixed(other.value)})`] : []
  })
  return others.length === 0 ? null : `Other figures are highest for another metric: ${others.join(', ')}.`
}

type FigureOf = (row: JudgedMetric) => number | null

function otherFigures([{ figures }]: readonly JudgedMetric[]): { name: string; figureOf: FigureOf }[] {
  if (figures.kind === 'RATINGS') {
    return [
      { name: 'τ-b', figureOf: (row) => (row.figures.kind === 'RATINGS' ? row.figures.tauB : null) },
      {
        name: 'accuracy on captions of the same image',
        figureOf: ({ contests }) => contests?.all.byImage.calibratedAccuracy ?? null,
      },
      {
        name: 'soft accuracy on systems',
        figureOf: ({ contests }) => contests?.all.systemLevel?.softPairwiseAccuracy ?? null,
      },
    ]
  }
  const categories = Object.keys(figures.accuracy)
  if (categories.length < 2) return []
  return categories.map((category) => ({
    name: `accuracy in ${category}`,
    figureOf: (row) => (row.figures.kind === 'PREFERENCES' ? row.figures.accuracy[category] : null),
  }))
}

/** The metrics with the highest figure, and their names; null where none has the figure. */
function highest(rows: readonly JudgedMetric[], figureOf: FigureOf) {
  const defined = rows.filter((row) => figureOf(row) !== null)
  if (defined.length === 0) return null
  const value = Math.max(...defined.map((row) => figureOf(row) as number))
  const equal = defined.filter((row) => value - (figureOf(row) as number) < ROUNDING)
  return { rows: equal, value, names: equal.length > MAX_NAMES ? `${equal.length} metrics` : listOf(equal) }
}

/** Which metrics rank systems as people do; null without systems. */
function systemsSentence(rows: readonly JudgedMetric[]): string | null {
  const all = rows[0]?.contests?.all.systemLevel
  if (!all) return null
  const machines = rows[0].contests?.withoutPeople?.systemLevel
  if (!machines)
    return `${rankingMetrics(rows, 'all')} the ${counted(all.systems.length, 'system')} as people do.`
  const ranking = `${rankingMetrics(rows, 'withoutPeople')} the ${counted(machines.systems.length, 'system')} as people do`
  const still = agreeing(rows, 'all')
  const rest =
    still.length === 0
      ? 'none does'
      : still.length === rows.length
        ? `${still.length === 1 ? 'it' : still.length === 2 ? 'both' : 'all'} still ${still.length === 1 ? 'does' : 'do'}`
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
  if (count === rows.length) return `${count === 2 ? 'Both' : `All ${count}`} metrics rank`
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
