import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { ListedMetric } from '../../core/metrics/registry.js'
import { withAccord } from '../accord.js'
import { list } from '../output/formats.js'
import type { Column, NamedTable, Report } from '../output/report.js'
import { printsReport } from '../report-command.js'

/** `accord metrics` */
export function register(program: Command): void {
  const command = program
    .command('metrics')
    .summary('list the metrics')
    .description(
      'List all metrics with their range, direction, paper and what they need beside captions; also those of the database, if it' +
        ' exists: composites, and metrics of other programs.',
    )
  const help = {
    examples: ['accord metrics', 'accord metrics --json'],
    json: { report: 'metrics', metrics: METRICS },
  }
  printsReport(command, help, async ({ database: location }) => {
    if (!existsSync(location) && !/^postgres/.test(location)) {
      const { listBuiltInMetrics } = await import('../../services/evaluations/metric-names.js')
      return metricReport(listBuiltInMetrics())
    }
    const { listMetrics } = await import('../../services/evaluations/metrics.js')
    return metricReport(await withAccord({ location, mustExist: true }, listMetrics))
  })
}

/** Columns of the list of metrics. */
const METRICS: readonly Column<Pick<ListedMetric, 'lowest' | 'highest' | 'higherIsBetter' | 'isDefault'>>[] =
  [
    { path: 'name', title: 'metric' },
    { path: 'lowest', title: 'range', show: ({ lowest, highest }) => `${lowest} to ${highest}` },
    { path: 'highest' },
    {
      path: 'higherIsBetter',
      title: 'better',
      show: ({ higherIsBetter }) => (higherIsBetter ? 'higher' : 'lower'),
    },
    { path: 'isDefault', title: 'default', show: ({ isDefault }) => (isDefault ? 'yes' : 'no') },
    { path: 'needs', title: 'needs', format: list(', '), wrap: 20 },
    { path: 'citation', title: 'paper', wrap: 'fit' },
    { path: 'description' },
  ]

/** Metrics with their range, direction, needs and paper. */
function metricReport(metrics: readonly ListedMetric[]): Report {
  const rows = metrics.map(
    ({ name, lowest, highest, higherIsBetter, isDefault, needs, citation, description }) => ({
      name,
      lowest,
      highest,
      higherIsBetter,
      isDefault,
      needs: [
        ...needs.resources,
        ...(needs.documentFrequencies ? ['document frequencies'] : []),
        ...needs.metrics,
        ...(needs.text === 'external' ? ['scores of its program'] : []),
      ],
      citation,
      description,
    }),
  )
  const table: NamedTable<(typeof rows)[number]> = { name: 'metrics', columns: METRICS, rows }
  return { tables: [table], parts: [table] }
}
