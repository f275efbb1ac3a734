import type { Command } from 'commander'
import { type GlobalOptions, parseText } from '../../config.js'
import type { RatingNames } from '../../formats/judgements/judgements.js'
import type { ImportJudgementsReport } from '../../services/judgements/import-judgements.js'
import type { Match } from '../../shared/choices.js'
import { counted, grouped } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { toFile } from '../files.js'
import { fieldColumnsOption, fileArgument, matchOption, newDatasetOption, privateOption } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly captions?: string
  readonly private?: true
  readonly match?: Match
  readonly columns?: RatingNames
}

/** `accord import judgements` */
export function register(imports: Command): void {
  const command = imports
    .command('judgements')
    .summary('human judgements on captions, for accord judge')
    .description(
      'Import human judgements on captions: ratings or preferences in JSON Lines, a table of ratings, or a published file,' +
        ' which is recognized by its content. With reference captions, the dataset is new; without, the judgements are on' +
        ' images of an existing dataset.',
    )
    .addArgument(fileArgument('JSON Lines, CSV or TSV, or a published file; also .gz'))
    .addOption(newDatasetOption())
    .addOption(privateOption())
    .addOption(matchOption('a dataset that exists'))
    .addOption(fieldColumnsOption(['image', 'caption', 'rating', 'references', 'system', 'rater']))
    .option(
      '--captions <file>',
      'captions of Flickr8k (default: Flickr8k.token.txt beside the file) or THumB, or votes of PASCAL-50S' +
        ' (default: consensus_pascal.mat)',
      parseText,
    )
    .addHelpText(
      'after',
      `
Published: Flickr8k’s ExpertAnnotations.txt and CrowdFlowerAnnotations.txt, CLIPScore’s and PAC-S’s flickr8k.json and
crowdflower_flickr8k.json, Polaris’s and Nebula’s CSV, THumB’s JSON Lines (--captions: its references), PASCAL-50S’s
pair_pascal.mat; on the captions of an existing dataset: Composite’s CSV, FOIL’s JSON, CapArena’s battles.
Tables: image_id, caption and rating (or rater1, rater2, …), and maybe references (a list), system and rater; or image, caption1,
caption2 and winner (or preferred), and maybe model1, model2, references, category and id. A winner skip or bad is a missing answer.
Lines of JSON, ratings as a list or by rater id (null: missing), preferred 0, 1 or "tie"; system and systems may be absent:
  {"image_id": "1", "references": ["A dog."], "captions": [{"caption": "A cat.", "system": "mine", "ratings": [1, 2]}]}
  {"image_id": "1", "references": ["A dog."], "captions": ["A cat.", "A dog runs."],
   "systems": ["mine", "people"], "preferred": 1, "category": "HM"}`,
    )
  const examples = [
    'accord import judgements flickr8k_expert.jsonl.gz --dataset flickr8k',
    'accord import judgements Flickr8k_text/ExpertAnnotations.txt --dataset flickr8k',
  ]
  prints<Options, [path: string]>(command, examples, async (options, path) => {
    const { database: location, dataset, captions, private: isPrivate, match, columns } = options
    const input = { dataset, file: { path }, captions: toFile(captions), isPrivate, match, columns }
    const report = await withAccord({ location, reads: [path] }, (accord) =>
      withProgress((progress) => accord.run('importJudgements', input, { progress })),
    )
    return describe(dataset, report)
  })
}

function describe(dataset: string, { isNewDataset, kind, ...counts }: ImportJudgementsReport): string {
  const noun = kind === 'RATINGS' ? 'rating' : 'preference'
  const lines = [
    `  images       ${grouped(counts.imageCount)}${isNewDataset ? ', with their references as human captions' : ''}`,
    `  captions     ${grouped(counts.captionCount)} judged`,
    `  judgements   ${counted(counts.judgementCount, noun)}`,
    ...(counts.ownCaptionCount > 0
      ? [`  left out     ${counted(counts.ownCaptionCount, 'caption')} of the judged image itself`]
      : []),
    ...(counts.missingRatingCount > 0
      ? [
          kind === 'RATINGS'
            ? `  missing      ${counted(counts.missingRatingCount, 'rating')} without a number`
            : `  missing      ${counted(counts.missingRatingCount, 'preference')} without an answer`,
        ]
      : []),
    ...(counts.equalPairCount > 0
      ? [`  equal        ${counted(counts.equalPairCount, 'preference')} between equal captions`]
      : []),
  ]
  lines.push(...counts.notes)
  const target = isNewDataset ? 'as new dataset' : 'into dataset'
  return `Imported judgements ${target} ${printable(dataset)}\n${lines.join('\n')}\n`
}
