import { signedWithInterval } from '../../src/shared/numbers'
import { href } from '../app/router'
import { isPeople } from '../app/subject'
import { Forest, type ForestRow } from '../charts/forest'
import type { DifferenceFragment } from '../generated/documents'
import { measured } from './columns'
import { correctionNotes, percentOfHigher } from './differences'
import { Figure } from './figure'

interface DistancesProps {
  /** Name of the submission or of its team. */
  readonly of: string
  readonly dataset: string
  /** Others minus the submission. */
  readonly distances: readonly DifferenceFragment[]
  readonly query: { toString(): string }
  readonly variables: object
}

/** How far a submission is from people and baselines, paired over images. */
export function Distances({ of, dataset, distances, query, variables }: DistancesProps) {
  const groups = [...new Set(distances.map(({ metric }) => metric?.name ?? ''))].map((name) => ({
    name,
    rows: distances
      .filter(({ metric }) => metric?.name === name)
      .flatMap((row): ForestRow[] => {
        const away = awayOf(row)
        if (!away) return []
        const other = row.first.name
        const scale = percentOfHigher(row.secondScore ?? 0, -away.value)
        return [
          {
            name: other,
            value: scale * away.value,
            interval: away.interval && {
              lower: scale * away.interval.lower,
              upper: scale * away.interval.upper,
            },
            address: isPeople(row.first) ? undefined : href('d', dataset, 'systems', row.first.name),
            isShown: row.together.better !== null,
            text: signedWithInterval(away.value, away.interval),
          },
        ]
      }),
  }))
  return (
    <Figure
      title={`How far ${of} is from people and baselines, on the same images`}
      columns={[
        { title: 'metric', value: ({ metric }) => metric?.name },
        { title: 'compared with', value: ({ first }) => first.name },
        ...measured<DifferenceFragment>(
          'difference',
          (row) => ({ ...awayOf(row), signature: row.signature }),
          { show: signedWithInterval },
        ),
        { title: 'adjusted p', value: ({ together }) => together.pValue, isHidden: true },
      ]}
      rows={distances}
      notes={correctionNotes(distances)}
      provenance={{ signatures: distances.map(({ signature }) => signature), query, variables }}
    >
      <Forest
        label={`How far ${of} is from people and baselines`}
        xTitle="difference in % of the higher score"
        zero="equal"
        groups={groups.filter(({ rows }) => rows.length > 0)}
      />
    </Figure>
  )
}

/** The submission minus the other. */
export function awayOf({ difference, together: { interval } }: DifferenceFragment) {
  if (difference === null) return null
  return { value: -difference, interval: interval && { lower: -interval.upper, upper: -interval.lower } }
}
