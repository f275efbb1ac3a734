import { AccordError } from '../../errors.js'
import type { ComparedFigure } from '../../services/comparisons.js'
import type { DatasetCompareArgs } from '../schema-types.js'

type FigureArguments = Pick<DatasetCompareArgs, 'figure' | 'metric' | 'word' | 'partOfSpeech' | 'references'>

/** What the arguments of a comparison ask for. @throws AccordError NOT_APPLICABLE for arguments of another figure */
export function toFigure({ figure, references, ...choice }: FigureArguments): ComparedFigure {
  const kind = figure ?? 'METRIC'
  const { metric, word, partOfSpeech } = choice
  if (kind === 'METRIC') {
    refuse(kind, { word, partOfSpeech })
    if (metric != null) return { kind, metric, references }
    throw new AccordError('NOT_APPLICABLE', 'a comparison on METRIC requires a metric', {
      source: 'metric',
      expected: 'the name of a metric',
      found: 'nothing',
    })
  }
  refuse(kind, { metric })
  if (word != null) refuse('a word', { partOfSpeech })
  return { kind, word, partOfSpeech, references }
}

function refuse(what: string, args: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(args).find((name) => args[name] != null)
  if (given === undefined) return
  throw new AccordError('NOT_APPLICABLE', `the argument does not apply to ${what}`, {
    source: given,
    expected: 'no value',
  })
}
