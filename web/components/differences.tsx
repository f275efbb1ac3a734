import { signedWithInterval } from '../../src/shared/numbers'
import { describeCorrection } from '../../src/shared/verdict'
import { href } from '../app/router'
import { Forest, type ForestGroup, type ForestRow } from '../charts/forest'
import type { DifferenceFragment } from '../generated/documents'
import { type Column, measured } from './columns'
import { Figure } from './figure'
import type { Provenance } from './how-computed'

/** Metrics whose differences are shown, in this order, as far as both have scores, beside the chosen one. */
const COMPARED_METRICS = ['CIDEr-D', 'METEOR', 'SPICE', 'BLEU-4', 'ROUGE-L']

/** Of the metrics that there are, those that are compared. */
export function comparedMetrics(known: readonly string[], chosen: string): string[] {
  const wanted = COMPARED_METRICS.includes(chosen) ? COMPARED_METRICS : [chosen, ...COMPARED_METRICS]
  return wanted.filter((name) => known.includes(name))
}

interface DifferencesProps {
  readonly dataset: string
  readonly title: string
  readonly rows: readonly DifferenceFragment[]
  readonly notes: readonly string[]
  readonly provenance: Provenance
}

/** Differences between systems, and from people, by all metrics on one axis around 0. */
export function Differences({ dataset, title, rows, notes, provenance }: DifferencesProps) {
  const columns: readonly Column<DifferenceFragment>[] = [
    { title: 'metric', value: (row) => row.metric?.name },
    { title: 'of', value: (row) => row.first.name },
    { title: 'against', value: (row) => row.second.name },
    ...measured<DifferenceFragment>(
      'difference',
      (row) => ({
        value: row.difference,
        interval: row.together.interval,
        signature: row.signature,
        undefinedReason: row.undefinedReason,
      }),
      { show: signedWithInterval },
    ),
    { title: 'better', value: betterOf },
  ]
  return (
    <Figure
      title={title}
      columns={columns}
      rows={rows}
      notes={[...correctionNotes(rows), ...notes]}
      provenance={provenance}
    >
      <Forest
        label={title}
        xTitle="difference in % of the higher score"
        zero="equal"
        groups={groupsOf(dataset, rows)}
      />
    </Figure>
  )
}

/** How differences that stand together are corrected. */
export function correctionNotes(rows: readonly Pick<DifferenceFragment, 'together'>[]): string[] {
  const correction = rows.length === 0 ? null : describeCorrection(rows[0].together)
  return correction === null
    ? []
    : [`Paired tests and intervals, ${correction}; a hollow dot does not differ significantly.`]
}

/** The name of the side that a test shows to be better. */
function betterOf({ together: { better }, first, second }: DifferenceFragment): string {
  if (better === null) return 'no difference shown'
  return (better === 'FIRST' ? first : second).name
}

/** Differences of each pair on one axis: metrics have different scales. */
function groupsOf(dataset: string, comparisons: readonly DifferenceFragment[]): ForestGroup[] {
  const pairs = new Map<string, ForestRow[]>()
  for (const row of comparisons) {
    const sides = [row.first.name, row.second.name]
    const { difference, secondScore, metric } = row
    const { interval, better } = row.together
    if (difference === null || secondScore === null || !metric) continue
    const scale = percentOfHigher(secondScore, difference)
    const pair = pairs.get(sides.join(' − ')) ?? []
    pairs.set(sides.join(' − '), pair)
    pair.push({
      name: metric.name,
      value: scale * difference,
      interval: interval && { lower: scale * interval.lower, upper: scale * interval.upper },
      address: `${href('d', dataset, 'compare', sides[0], sides[1])}?metric=${encodeURIComponent(metric.name)}`,
      isShown: better !== null,
      text: `${signedWithInterval(difference, interval)}, ${betterOf(row)}${better ? ' better' : ''}`,
    })
  }
  return [...pairs].map(([name, rows]) => ({ name, rows }))
}

/** Turns a difference into % of the higher of both scores: one of nearly 0 would make any difference endless. */
export function percentOfHigher(secondScore: number, difference: number): number {
  const higher = Math.max(Math.abs(secondScore), Math.abs(secondScore + difference))
  return higher === 0 ? 0 : 100 / higher
}
