import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql'
import { createClient } from 'graphql-sse'
import { beforeAll, expect, it } from 'vitest'
import { projectFile } from '../../../src/project.js'
import { requireDataset } from '../../../src/services/datasets/datasets.js'
import { evaluateSystem } from '../../../src/services/scoring/evaluate.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../../kit/seed.js'
import {
  allTexts,
  type CaptionFacts,
  captions,
  captionsOf,
  corpus,
  coverageOf,
  detected,
  deviation,
  humanCaptions,
  IMAGES,
  imageScores,
  mean,
  pearson,
  peopleMean,
  quantile,
  SYSTEMS,
  type SystemName,
  wordFacts,
  words,
} from './golden-facts.js'

/**
 * Sixty operations as clients write them from the published schema, each with its purpose: dashboards, notebooks, gates, bots. They
 * are executed in this order, some of them on what those before have made, and compared with what is known without the API.
 */

const FOLDER = projectFile('test/api/queries')
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.graphql'))
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

const world = await initWorld()
let api: Api

/** A system with word scores that ranks images as `detector` does, and one that does not tell them apart. */
const twinScores = (scores: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(scores).map(([word, score]) => [word, score ** 3]))
const constantScores = () => Object.fromEntries(Array.from(words.keys(), (word) => [word, 1]))

beforeAll(async () => {
  const { accord } = world
  await loadEvaluatedSeed(accord)
  const golden = (name: string) => ({ path: projectFile(`test/golden/data/${name}`) })
  const write = (name: string, lines: readonly unknown[]) => {
    const path = join(world.folder, name)
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'))
    return { path }
  }
  const rows = Array.from(words.values(), ({ text, partOfSpeech }) => `${text},${partOfSpeech}\n`)
  const vocabulary = { path: join(world.folder, 'vocabulary.csv') }
  writeFileSync(vocabulary.path, `word,part_of_speech\n${rows.join('')}`)
  await accord.run('importCaptions', { dataset: 'golden', file: golden('captions.json'), vocabulary })
  const { id: datasetId } = await requireDataset(accord, 'golden')
  for (const system of SYSTEMS)
    await accord.run('importResults', {
      datasetId,
      system,
      file: golden(`${system}.json`),
      evaluate: false,
      isMissingAllowed: false,
    })
  const scoresBy = (name: string, scores: (words: Readonly<Record<string, number>>) => object) =>
    write(
      name,
      Array.from(detected, ([image_id, of]) => ({ image_id, words: scores(of) })),
    )
  const files = {
    detector: golden('detector.jsonl'),
    twin: scoresBy('twin.jsonl', twinScores),
    constant: scoresBy('constant.jsonl', constantScores),
  }
  for (const [system, file] of Object.entries(files))
    await accord.run('importWordScores', { datasetId, system, file, isMissingAllowed: false })
  // Before people: the boards of both do not depend on the order.
  for (const system of ['strong', 'weak'])
    for (const references of [undefined, 4])
      await evaluateSystem(accord, { dataset: 'golden', system, references })
  const references = ['A dog runs on the grass.', 'A brown dog is running on grass.']
  const pair =
    (category: string, first: string, second: string, preferred: number) => (image_id: number) => ({
      image_id: String(image_id),
      references,
      captions: [first, second],
      preferred,
      category,
    })
  // By words of the references alone, a metric is always right about HM, and always wrong about MM.
  const [hm, mm] = [
    pair('HM', 'A dog runs on grass.', 'Two trains.', 0),
    pair('MM', 'A dog runs on the grass.', 'A cat.', 1),
  ]
  const pairs = [1, 2, 3, 4, 5, 6].flatMap((image) => (image % 2 ? [hm(image)] : [hm(image), mm(image)]))
  await accord.run('importJudgements', { dataset: 'pairs', file: write('pairs.jsonl', pairs) })
})

it('are sixty that the published schema accepts without anything deprecated, each with its purpose', () => {
  const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
  expect(FILES).toHaveLength(60)
  const errors = FILES.flatMap((file) =>
    validate(schema, parse(textOf(file)), [...specifiedRules, NoDeprecatedCustomRule]).map(
      ({ message }) => `${file}: ${message}`,
    ),
  )
  expect(errors).toEqual([])
  expect(FILES.filter((file) => !/^# [A-Z].{20}/.test(textOf(file)))).toEqual([])
})

const executed = new Set<string>()

/** The operation of a file by its number. @param name of an operation, where the file has several */
async function ask(number: number, variables: Json = {}, name?: string): Promise<Json> {
  const file = FILES[number - 1]
  expect(Number(file.slice(0, 2))).toBe(number)
  executed.add(file)
  const text = textOf(file)
  const [, defaults = '{}'] = /^# Variables: (.*)$/m.exec(text) ?? []
  const given = { ...JSON.parse(defaults), ...variables }
  const { data, errors } = await api.post(
    JSON.stringify({ query: text, variables: given, operationName: name }),
  )
  expect(errors, file).toEqual([])
  return data
}

const near = (value: number) => expect.closeTo(value, 9)
const nearOrNull = (value: number | null) => (value === null ? null : near(value))
const inside = ({ lower, upper }: Json, value: number) => lower <= value && value <= upper
const sortedBy = <Row>(rows: readonly Row[], by: (row: Row) => number) =>
  rows.toSorted((a, b) => by(b) - by(a))
const defined = (values: readonly (number | null)[]) => values.filter((value) => value !== null)
const allWords = [...words.values()]
const uses = (text: string) => (caption: CaptionFacts) => caption.tokens.includes(text)
const imagesOf = (rows: readonly CaptionFacts[]) => new Set(rows.map(({ image }) => image))
const system = (name: string) => ({ name })
const scoreOf = (name: SystemName, image: string, metric: string) =>
  imageScores(name, metric).find((row) => row.image === image)?.value as number
const captionBy = (name: SystemName, image: string) =>
  captionsOf(name).find((caption) => caption.image === image) as CaptionFacts

async function ended(payload: Json): Promise<string> {
  expect(payload).toHaveProperty('job')
  expect(await api.ended(payload.job.id)).toMatchObject({ status: 'DONE', failure: null })
  return payload.job.id
}

it('14: an unfinished job and its system', async () => {
  api = await world.serve()
  const { startEvaluation } = await ask(12)
  const { jobs } = await ask(14)
  expect(jobs).toMatchObject({
    totalCount: 1,
    nodes: [
      { id: startEvaluation.job.id, kind: 'EVALUATE', status: 'QUEUED', subject: { name: 'middling' } },
    ],
  })
  expect(jobs.nodes[0].subject.dataset).toEqual({ name: 'golden' })
  api = await world.serve({ workers: 1 })
})

it('12 and 13: an evaluation is followed to its end', async () => {
  const { startEvaluation } = await ask(12)
  expect(startEvaluation.__typename).toBe('JobSuccess')
  executed.add(FILES[12])
  const events = createClient({ url: api.url }).iterate({
    query: textOf(FILES[12]),
    variables: { id: startEvaluation.job.id },
  })
  const states: Json[] = []
  for await (const { data } of events) states.push(data?.jobProgress)
  expect(states.at(-1)).toMatchObject({ id: startEvaluation.job.id, status: 'DONE', progress: 1 })
  await api.done('startEvaluation(input: { dataset: "golden", system: "middling", references: 4 })')
  expect((await ask(14)).jobs).toEqual({ nodes: [], totalCount: 0 })
})

it('15 and 16: agreement of people', async () => {
  await ended((await ask(15)).computeHumanAgreement)
  const { humanAgreement } = (await ask(16)).dataset
  expect(humanAgreement.imageCount).toBe(200)
  const known = humanAgreement.scores.filter(({ metric }: Json) => metric.name in corpus.people[0])
  expect(known.length).toBeGreaterThanOrEqual(5)
  for (const { metric, mean: found, standardDeviation, interval } of known) {
    const folds = corpus.people.map((fold) => fold[metric.name])
    expect({ metric, found, standardDeviation }).toEqual({
      metric,
      found: near(mean(folds)),
      standardDeviation: near(deviation(folds)),
    })
    if (!metric.name.startsWith('CIDEr')) expect(inside(interval, mean(folds))).toBe(true)
  }
})

it('01: words of most agreement', async () => {
  const { nodes } = (await ask(1)).dataset.words
  const best = sortedBy(defined(allWords.map(({ precision }) => precision)), (value) => value).slice(0, 20)
  expect(nodes.map(({ agreement }: Json) => agreement.precision)).toEqual(best.map(near))
  for (const { text, agreement } of nodes) {
    expect(agreement).toMatchObject({ recall: nearOrNull(wordFacts(text).recall) })
    expect(inside(agreement.precisionInterval, agreement.precision)).toBe(true)
  }
})

it('02: one word', async () => {
  const { word } = (await ask(2)).dataset
  const { histogram, precision, recall, phr, averagePrecision, chance } = wordFacts('dog')
  expect(word).toMatchObject({
    text: 'dog',
    imageCount: 200 - histogram[0],
    agreement: { precision: nearOrNull(precision), recall: nearOrNull(recall), undefinedReason: null },
  })
  const detectors = word.systemResults.nodes.filter((row: Json) => row.precisionAtHumanRecall !== null)
  expect(detectors).toEqual([
    { system: system('constant'), precisionAtHumanRecall: near(chance), averagePrecision: near(chance) },
    {
      system: system('detector'),
      precisionAtHumanRecall: nearOrNull(phr),
      averagePrecision: nearOrNull(averagePrecision),
    },
    {
      system: system('twin'),
      precisionAtHumanRecall: nearOrNull(phr),
      averagePrecision: nearOrNull(averagePrecision),
    },
  ])
})

it('03: words by their texts', async () => {
  const { nodes, totalCount } = (await ask(3)).dataset.words
  expect(totalCount).toBe(3)
  expect(nodes.map(({ text }: Json) => text).sort()).toEqual(['cat', 'dog', 'train'])
  for (const { text, agreement } of nodes) {
    const { precision, recall } = wordFacts(text)
    expect(agreement).toEqual({ precision: nearOrNull(precision), recall: nearOrNull(recall) })
  }
})

it('04: nouns of high recall', async () => {
  const { nodes, totalCount, pageInfo } = (await ask(4)).dataset.words
  const nouns = allWords.filter(({ partOfSpeech, recall }) => partOfSpeech === 'NN' && (recall ?? 0) >= 0.8)
  expect(totalCount).toBe(nouns.length)
  expect(nodes.map(({ text }: Json) => text).sort()).toEqual(nouns.map(({ text }) => text).sort())
  const recalls = sortedBy(nouns, ({ recall }) => recall as number).map(({ recall }) =>
    near(recall as number),
  )
  expect(nodes.map(({ agreement }: Json) => agreement.recall)).toEqual(recalls)
  for (const { text, captionCount } of nodes)
    expect({ text, captionCount }).toEqual({ text, captionCount: captions.filter(uses(text)).length })
  expect(pageInfo.hasNextPage).toBe(false)
})

/** Words for which a system with word scores has a figure. */
const agreed = allWords.filter(({ phr }) => phr !== null)
const meanOf = (figure: (facts: (typeof allWords)[number]) => number | null) =>
  mean(agreed.map((facts) => figure(facts) as number))

it('05: PHR of all systems', async () => {
  const { nodes } = (await ask(5)).dataset.systems
  const summary = (value: number | null) => ({
    meanPrecisionAtHumanRecall: nearOrNull(value),
    meanHumanPrecision: value === null ? null : near(meanOf(({ precision }) => precision)),
    wordCount: words.size,
    definedWordCount: value === null ? 0 : agreed.length,
  })
  expect(nodes.filter(({ name }: Json) => !SYSTEMS.includes(name))).toEqual([
    { name: 'constant', phrSummary: summary(meanOf(({ chance }) => chance)) },
    { name: 'detector', phrSummary: summary(meanOf(({ phr }) => phr)) },
    { name: 'twin', phrSummary: summary(meanOf(({ phr }) => phr)) },
  ])
  const captioning = nodes.filter(({ name }: Json) => SYSTEMS.includes(name))
  expect(captioning.map((row: Json) => row.phrSummary.meanPrecisionAtHumanRecall)).toEqual([null, null, null])
})

it('06: the board by PHR', async () => {
  const { rows } = (await ask(6)).dataset.wordLeaderboard
  const row = (rank: number, name: string, value: number) => ({ rank, subject: { name }, value: near(value) })
  const ranked = rows.nodes.filter(({ rank }: Json) => rank !== null)
  expect(ranked.map(({ interval, ...rest }: Json) => rest)).toEqual([
    row(
      1,
      'people',
      meanOf(({ precision }) => precision),
    ),
    row(
      2,
      'detector',
      meanOf(({ phr }) => phr),
    ),
    row(
      2,
      'twin',
      meanOf(({ phr }) => phr),
    ),
    row(
      4,
      'constant',
      meanOf(({ chance }) => chance),
    ),
  ])
})

it('07: boards with people, whoever was computed first', async () => {
  const boards = (await ask(7)).dataset.leaderboards
  expect(boards.map(({ metric }: Json) => metric.name)).toEqual(['CIDEr', 'METEOR', 'BLEU-4'])
  for (const { metric, rows } of boards) {
    const people = rows.nodes.find(({ subject }: Json) => subject.name === 'people')
    expect(rows.nodes.map(({ undefinedReason }: Json) => undefinedReason)).toEqual([null, null, null, null])
    expect(rows.nodes.map(({ rank }: Json) => rank)).toEqual([1, 2, 3, 4])
    expect(rows.nodes[0].subject).toEqual(system('strong'))
    if (metric.name !== 'METEOR') expect(people.value).toEqual(near(peopleMean(metric.name)))
  }
})

it('08: detectors of words', async () => {
  const { comparisons } = (await ask(8)).dataset
  const pair = (first: string, second: string) =>
    comparisons.find((row: Json) => row.first.name === first && row.second.name === second)
  expect(comparisons).toHaveLength(3)
  const difference = meanOf(({ chance }) => chance) - meanOf(({ phr }) => phr)
  expect(pair('constant', 'detector')).toMatchObject({ difference: near(difference), undefinedReason: null })
  expect(pair('constant', 'detector').alone.pValue).toBeLessThan(0.001)
  expect(pair('constant', 'detector').alone.interval.upper).toBeLessThan(0)
  expect(pair('detector', 'twin')).toMatchObject({ difference: 0, alone: { pValue: 1 } })
})

it('09: words far below people', async () => {
  const { nodes } = (await ask(9)).dataset.system.words
  const gap = ({ phr, precision }: (typeof allWords)[number]) => (precision as number) - (phr as number)
  expect(nodes.map((row: Json) => row.estimates.gapToPeople.value)).toEqual(
    sortedBy(agreed, gap)
      .slice(0, 10)
      .map((facts) => near(-gap(facts))),
  )
  for (const { word, precisionAtHumanRecall, referenceCount } of nodes)
    expect({ referenceCount, precisionAtHumanRecall }).toEqual({
      referenceCount: 4,
      precisionAtHumanRecall: nearOrNull(wordFacts(word.text).phr),
    })
})

it('10: curves and mistakes', async () => {
  const { nodes } = (await ask(10)).dataset.system.words
  expect(nodes).toHaveLength(5)
  let mistakeCount = 0
  for (const { word, curve, mistakes } of nodes) {
    const recalls = curve.map(({ recall }: Json) => recall)
    expect(recalls).toEqual(recalls.toSorted((a: number, b: number) => a - b))
    expect(curve.at(-1)).toMatchObject({ recall: near(1), precision: near(wordFacts(word.text).chance) })
    for (const { image, wordScore } of mistakes.nodes) {
      expect(humanCaptions(image.externalId).filter(uses(word.text))).toEqual([])
      expect(wordScore).toBe(detected.get(image.externalId)?.[word.text] ?? null)
      mistakeCount++
    }
  }
  expect(mistakeCount).toBeGreaterThan(3)
})

it('17: one image', async () => {
  const { image } = (await ask(17)).dataset
  const people = humanCaptions('139')
  expect(image.captions.map(({ text }: Json) => text)).toEqual(people.map(({ text }) => text))
  expect(image.captions.map(({ tokens }: Json) => tokens)).toEqual(people.map(({ tokens }) => tokens))
  expect(image.systemCaptions.nodes.map(({ system, text }: Json) => [system.name, text])).toEqual(
    SYSTEMS.map((name) => [name, captionBy(name, '139').text]),
  )
  for (const { system, scores } of image.systemCaptions.nodes) {
    const known = scores.filter(({ metric }: Json) => metric.name in corpus.strong)
    expect(known.length).toBeGreaterThanOrEqual(5)
    for (const { metric, value } of known)
      expect(value).toEqual(near(scoreOf(system.name, '139', metric.name)))
  }
})

it('18: images with a word', async () => {
  const { totalCount, edges } = (await ask(18)).dataset.images
  const images = imagesOf(captions.filter(uses('giraffe')))
  expect(totalCount).toBe(images.size)
  expect(edges.map(({ node }: Json) => node.externalId)).toEqual([...images].slice(0, 5))
  for (const { node } of edges)
    for (const { word, captionCount } of node.words)
      expect([node.externalId, word.text, captionCount]).toEqual([
        node.externalId,
        word.text,
        humanCaptions(node.externalId).filter(uses(word.text)).length,
      ])
})

it('19: two datasets', async () => {
  const { a, b } = await ask(19)
  expect(a).toMatchObject({
    name: 'golden',
    imageCount: IMAGES.length,
    wordAgreement: {
      meanPrecision: near(mean(defined(allWords.map(({ precision }) => precision)))),
      meanRecall: near(mean(defined(allWords.map(({ recall }) => recall)))),
    },
  })
  const counts = a.wordAgreement.byPartOfSpeech.map(({ wordCount }: Json) => wordCount)
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(words.size)
  const scenes = readdirSync(projectFile('seed/scenes')).flatMap((file) =>
    JSON.parse(readFileSync(projectFile(`seed/scenes/${file}`), 'utf8')),
  )
  expect(b).toMatchObject({ name: 'scenes', imageCount: scenes.length })
})

it('20 and 53: completed words are found by their ids', async () => {
  const { words: found } = (await ask(53)).dataset
  const expected = sortedBy(
    allTexts.filter((text) => text.startsWith('do')).map((text) => captions.filter(uses(text)).length),
    (count) => count,
  )
  expect(found.totalCount).toBe(expected.length)
  expect(found.nodes.map(({ captionCount }: Json) => captionCount)).toEqual(expected.slice(0, 8))
  for (const { id, text } of found.nodes)
    expect((await ask(20, { id })).node).toEqual({ __typename: 'Word', id, text })
})

it('21: ranges of metrics', async () => {
  const nodes: Json[] = (await ask(21)).metrics.nodes
  const of = (name: string) => nodes.find((metric) => metric.name === name)
  const SHARE = { lowest: 0, highest: 1, isHigherBetter: true }
  for (const name of ['BLEU-1', 'BLEU-4', 'ROUGE-L', 'METEOR', 'SPICE']) expect(of(name)).toMatchObject(SHARE)
  for (const name of ['CIDEr', 'CIDEr-D']) expect(of(name)).toMatchObject({ ...SHARE, highest: 10 })
  expect(of('CHAIR-i')).toMatchObject({ ...SHARE, isHigherBetter: false })
})

it('22 and 33: words as columns', async () => {
  const { usageCurve, usageFit, words: page } = (await ask(22)).dataset
  expect(usageCurve.points.map(({ recall }: Json) => recall)).toEqual(
    Array.from({ length: 11 }, (_, index) => near(index / 10)),
  )
  // A word that everybody uses who sees the thing is used by the others as well.
  expect(usageCurve.points.at(-1).precision).toEqual(near(1))
  expect(usageFit.rSquared).toBeLessThan(1)
  expect(usageFit.rootMeanSquaredError).toBeGreaterThan(0)
  const { texts, precisions, recalls, captionCounts } = page.columns
  expect(texts.length).toBe(words.size)
  expect(precisions).toEqual(texts.map((text: string) => nearOrNull(wordFacts(text).precision)))
  expect(recalls).toEqual(texts.map((text: string) => nearOrNull(wordFacts(text).recall)))
  expect(captionCounts).toEqual(texts.map((text: string) => captions.filter(uses(text)).length))

  const read: string[] = []
  for (let after: string | null = null; ; ) {
    const { totalCount, pageInfo, columns }: Json = (await ask(33, { after })).dataset.words
    expect(totalCount).toBe(allTexts.length)
    read.push(...columns.texts)
    columns.texts.forEach((text: string, index: number) => {
      expect(columns.captionCounts[index]).toBe(captions.filter(uses(text)).length)
      const interval = columns.precisionIntervals[index]
      if (interval !== null) expect(inside(interval, columns.precisions[index])).toBe(true)
    })
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  expect(read.toSorted()).toEqual(allTexts)
})

it('23: scores of a system', async () => {
  const { scores, score } = (await ask(23)).dataset.system
  const known = scores.filter(({ metric }: Json) => metric.name in corpus.strong)
  for (const { metric, value } of known) expect(value).toEqual(near(corpus.strong[metric.name]))
  expect(score.value).toEqual(near(corpus.strong.CIDEr))
  const values = imageScores('strong', 'CIDEr')
  const worst = values.toSorted((a, b) => a.value - b.value).slice(0, 5)
  expect(score.imageScores.nodes).toEqual(
    worst.map(({ image, value }) => ({ value: near(value), image: { externalId: image, url: null } })),
  )
  for (const { from, to, imageCount } of score.distribution.bins.slice(0, -1))
    expect(imageCount).toBe(values.filter(({ value }) => value >= from && value < to).length)
  const counts = score.distribution.bins.map(({ imageCount }: Json) => imageCount)
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(200)
})

it('24: everybody beside one system', async () => {
  const { comparisons } = (await ask(24)).dataset
  expect(comparisons.map(({ first }: Json) => first.name)).toEqual(['middling', 'weak', 'people'])
  for (const { second, difference, together, undefinedReason } of comparisons) {
    expect({ second, undefinedReason }).toEqual({ second: system('strong'), undefinedReason: null })
    expect(difference).toBeLessThan(0)
    expect(together.pValue).toBeLessThan(0.05)
  }
})

it('28: captions with a word and without another', async () => {
  const { totalCount, nodes } = (await ask(28)).dataset.captions
  const expected = captions.filter((caption) => uses('red')(caption) && !uses('bus')(caption))
  expect(totalCount).toBe(expected.length)
  expect(nodes).toEqual(
    expected.slice(0, 5).map(({ text, image }) => ({ text, image: { externalId: image } })),
  )
})

it('30: words that a detector knows', async () => {
  const { phrSummary, words: page } = (await ask(30)).dataset.system
  const known = sortedBy(
    agreed.filter(({ phr }) => (phr as number) >= 0.9),
    ({ phr }) => phr as number,
  )
  expect(page.totalCount).toBe(known.length)
  expect(page.nodes.map((row: Json) => row.precisionAtHumanRecall)).toEqual(
    known.slice(0, 20).map(({ phr }) => near(phr as number)),
  )
  const phr = phrSummary.means.find(({ figure }: Json) => figure === 'PHR')
  expect(phr.value).toBe(phrSummary.meanPrecisionAtHumanRecall)
  expect(phr.value).toEqual(
    near(
      mean(agreed.filter(({ partOfSpeech }) => partOfSpeech === 'NN').map((facts) => facts.phr as number)),
    ),
  )
  expect(inside(phr.interval, phr.value)).toBe(true)
})

it('11, 38, 31, 29 and 37: the life of a system', async () => {
  const upload = await api.upload(
    readFileSync(projectFile('test/golden/data/strong.json'), 'utf8'),
    'strong.json',
  )
  const input = { dataset: 'golden', system: 'imported', upload }
  const job = await ended((await ask(11, { input })).importResults)
  const followed = (await ask(38, { job })).node
  expect(followed).toMatchObject({
    kind: 'IMPORT_RESULTS',
    status: 'DONE',
    progress: 1,
    failure: null,
    subject: { name: 'golden' },
    result: {
      system: { name: 'imported', imageCount: 200 },
      missingImageCount: 0,
      matching: { rule: 'ID', imageCount: 200 },
    },
  })
  await ended({ job: followed.result.evaluation })
  const again = (await ask(11, { input })).importResults
  expect(again).toMatchObject({ code: 'NAME_TAKEN', place: 'system' })

  const durations = (await ask(31)).jobs.nodes
  expect(durations.map(({ subject }: Json) => subject?.name)).toContain('imported')
  for (const { createdAt, startedAt, endedAt } of durations) {
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt))
    expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
  }

  const removal = await ended((await ask(29)).removeSystem)
  expect((await ask(37, { job: removal })).node).toEqual({
    status: 'DONE',
    result: { removedId: followed.result.system.id },
  })
  expect((await ask(20, { id: followed.result.system.id })).node).toBeNull()
})

it('25, 27 and 26: a challenge', async () => {
  const { createChallenge } = await ask(25)
  expect(createChallenge.challenge.phases).toMatchObject([{ name: 'dev' }])
  expect((await ask(25)).createChallenge).toMatchObject({ code: 'NAME_TAKEN' })
  const upload = await api.upload(
    readFileSync(projectFile('test/golden/data/weak.json'), 'utf8'),
    'weak.json',
  )
  const { submit } = await ask(27, { upload })
  expect(submit.submissions).toHaveLength(1)
  await ended(submit.submissions[0])
  const { challenge } = await ask(26)
  const [{ board, ...phase }] = challenge.phases
  expect(challenge.title).toBe('C1')
  expect(phase).toMatchObject({ name: 'dev', stage: 'OPEN', quota: { leftCount: 4 } })
  const rounded = Number(corpus.weak.CIDEr.toFixed(3))
  expect(board.rows.nodes.filter(({ rank }: Json) => rank === 1)).toMatchObject([
    { scores: [{ metric: { name: 'CIDEr' }, value: rounded }] },
  ])
})

it('32: a gate lets the system pass that is above people', async () => {
  const [strong] = (await ask(32)).dataset.comparisons
  expect(strong).toMatchObject({ secondScore: near(peopleMean('CIDEr-D')), undefinedReason: null })
  expect(strong.difference).toEqual(near(strong.firstScore - peopleMean('CIDEr-D')))
  expect(strong.alone.better).toBe('FIRST')
  expect(strong.conclusion).toContain('strong')
  const [weak] = (await ask(32, { system: 'weak' })).dataset.comparisons
  expect(weak.alone.better).toBe('SECOND')
})

it('34: the history of a word', async () => {
  const { word } = (await ask(34)).dataset
  const { histogram, recall } = wordFacts('dog')
  const everybody = IMAGES.filter((image) => humanCaptions(image).every(uses('dog')))
  const count = histogram.reduce((sum, images, uses) => sum + images * uses, 0)
  expect(word).toMatchObject({
    countHistogram: histogram,
    captionCount: count,
    isRare: false,
    everybody: { totalCount: everybody.length, nodes: everybody.map((externalId) => ({ externalId })) },
    usageModel: {
      usageProbability: nearOrNull(recall),
      objectProbability: near(count / 200 / (5 * (recall as number))),
    },
  })
  const expected = word.usageModel.expectedHistogram.reduce((sum: number, images: number) => sum + images, 0)
  expect(expected).toEqual(near(200))
  expect(inside(word.agreement.recallInterval, recall as number)).toBe(true)
})

it('35: a board on a slide', async () => {
  const [{ rows }] = (await ask(35)).dataset.leaderboards
  const order = sortedBy(SYSTEMS, (name) => corpus[name]['BLEU-4'])
  const systems = rows.nodes.filter(({ subject }: Json) => subject.__typename === 'System')
  expect(systems.map(({ rank, subject, value }: Json) => [rank, subject.name, value])).toEqual(
    order.map((name, index) => [index + 1, name, near(corpus[name]['BLEU-4'])]),
  )
  expect(rows.nodes[0].standing).toEqual({ tiedWith: [], rankRange: { min: 1, max: 1 } })
})

it('36: a verdict', async () => {
  const { comparisons } = (await ask(36)).dataset
  for (const { metric, conclusion, difference, together, imageCount } of comparisons) {
    expect(difference).toEqual(near(corpus.weak[metric.name] - corpus.strong[metric.name]))
    expect(together.better).toBe('SECOND')
    expect(imageCount).toBe(200)
    expect(conclusion).toMatch(/strong/)
  }
  expect(comparisons.map(({ metric }: Json) => metric.name)).toEqual(['BLEU-1', 'ROUGE-L'])
})

it('39: two systems on one image', async () => {
  const { image } = (await ask(39)).dataset
  expect(image.captions).toEqual(humanCaptions('17').map(({ text }) => ({ text })))
  const metrics = ['ROUGE-L', 'CIDEr-D']
  expect(image.systemCaptions.nodes).toEqual(
    (['strong', 'weak'] as const).map((name) => ({
      system: system(name),
      text: captionBy(name, '17').text,
      scores: expect.toSatisfy((scores: Json) => {
        expect(scores.map(({ metric }: Json) => metric.name).toSorted()).toEqual(metrics.toSorted())
        for (const { metric, value } of scores) expect(value).toEqual(near(scoreOf(name, '17', metric.name)))
        return true
      }),
    })),
  )
  expect([image.previous.externalId, image.next.externalId]).toEqual(['16', '18'])
})

it('40: the worst captions', async () => {
  const { nodes } = (await ask(40)).dataset.system.score.imageScores
  const worst = imageScores('weak', 'ROUGE-L').toSorted((a, b) => a.value - b.value)
  expect(nodes).toEqual(
    worst
      .slice(0, 10)
      .map(({ image, value }) => ({
        value: near(value),
        image: {
          externalId: image,
          captions: humanCaptions(image).map(({ text }) => ({ text })),
          systemCaptions: { nodes: [{ text: captionBy('weak', image).text }] },
        },
      })),
  )
})

it('41: people beside a system', async () => {
  const { score } = (await ask(41)).dataset.system
  expect(score.referenceCount).toBe(4)
  expect(score.foldScores).toHaveLength(5)
  expect(score.value).toEqual(near(mean(score.foldScores)))
  expect(score.humanScore).toMatchObject({ mean: near(peopleMean('CIDEr-D')), referenceCount: 4 })
})

it('42: coverage', async () => {
  const { coverage } = (await ask(42)).dataset
  expect(coverage.imageCount).toBe(200)
  const figures = (facts: ReturnType<typeof coverageOf>) =>
    Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, { value: near(value) }]))
  const lengthOf = (rows: readonly CaptionFacts[]) => mean(rows.map(({ tokens }) => tokens.length))
  expect(coverage.people).toEqual(
    [1, 2, 3].map((count) => ({
      peopleCount: count,
      wordsPerCaption: near(count * lengthOf(captions)),
      ...figures(
        coverageOf((image, fold) =>
          Array.from({ length: count }, (_, step) => humanCaptions(image)[(fold + step) % 5]),
        ),
      ),
    })),
  )
  for (const { system, wordsPerCaption, ...found } of coverage.systems.nodes) {
    const own = captionsOf(system.name)
    expect(wordsPerCaption).toEqual(near(lengthOf(own)))
    expect(found).toMatchObject(figures(coverageOf((image) => [captionBy(system.name, image)])))
    expect(inside(found.coverage.interval, found.coverage.value)).toBe(true)
  }
})

it('43: error bars', async () => {
  const { nodes } = (await ask(43)).dataset.systems
  // ROUGE-L of a corpus is a mean over images, whose jackknife is the standard error; t of 199 degrees of freedom.
  for (const name of SYSTEMS) {
    const values = imageScores(name, 'ROUGE-L').map(({ value }) => value)
    const half = (1.971957 * deviation(values)) / Math.sqrt(values.length)
    const [score] = nodes.find((row: Json) => row.name === name).scores
    expect(score.value).toEqual(near(mean(values)))
    // Its degrees of freedom are those of values that are not normal.
    for (const end of [score.value - score.interval.lower, score.interval.upper - score.value])
      expect(Math.abs(end / half - 1)).toBeLessThan(0.02)
  }
  expect(nodes.find((row: Json) => row.name === 'detector').scores).toBeNull()
})

it('44: words that a system never says', async () => {
  const { nodes } = (await ask(44)).dataset.system.wordRates
  const own = captionsOf('weak')
  for (const { word, captionCount, humanCaptionCount, rate, humanRate, ratio, interval } of nodes) {
    const [said, heard] = [own, captions].map((rows) => rows.filter(uses(word.text)).length)
    expect([word.text, captionCount, humanCaptionCount]).toEqual([word.text, said, heard])
    expect([rate, humanRate]).toEqual([near(said / 200), near(heard / 1000)])
    expect(ratio).toEqual(near(said / 200 / (heard / 1000)))
    expect(interval.upper).toBeLessThan(1)
  }
  const never = nodes.filter(({ captionCount }: Json) => captionCount === 0)
  expect(never.length).toBeGreaterThan(0)
})

it('45: preferences by category', async () => {
  const { kind, judgementCount, metaEvaluation } = (await ask(45)).dataset.judgements
  expect({ kind, judgementCount }).toEqual({ kind: 'PREFERENCES', judgementCount: 9 })
  expect(metaEvaluation.rows.map(({ metric }: Json) => metric.name).sort()).toEqual(['BLEU-1', 'ROUGE-L'])
  for (const { preferences } of metaEvaluation.rows)
    expect(preferences).toEqual({
      accuracyByCategory: [
        { category: 'HM', value: 1 },
        { category: 'MM', value: 0 },
      ],
      mean: 0.5,
    })
})

it('46: which metric to trust', async () => {
  const { metaEvaluation, ...set } = (await ask(46)).dataset.judgements
  const judged: Json[] = readFileSync(projectFile('seed/judgements.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).captions)
  const raters = Array.from(new Set(judged.flatMap(({ ratings }) => Object.keys(ratings))))
  const ratingCount = judged.reduce((sum, { ratings }) => sum + Object.keys(ratings).length, 0)
  expect(set).toEqual({ kind: 'RATINGS', captionCount: judged.length, judgementCount: ratingCount })
  const { agreement, comparison, rows } = metaEvaluation
  expect(agreement).toMatchObject({ raterCount: raters.length, maxRatingCount: raters.length })
  for (const { firstRater, secondRater, captionCount } of agreement.pairs)
    expect(captionCount).toBe(
      judged.filter(({ ratings }) => firstRater in ratings && secondRater in ratings).length,
    )
  const tau = (name: string) => rows.find(({ metric }: Json) => metric.name === name).ratings.tauC
  expect(comparison).toMatchObject({ first: system('METEOR'), second: system('BLEU-1') })
  expect(comparison.difference).toEqual(near(tau('METEOR') - tau('BLEU-1')))
})

it('47: a violin', async () => {
  const { imageCount, quantiles, bins } = (await ask(47)).dataset.system.score.distribution
  const values = imageScores('middling', 'CIDEr-D').map(({ value }) => value)
  expect(imageCount).toBe(200)
  expect(quantiles).toEqual(
    [0.05, 0.25, 0.5, 0.75, 0.95].map((at) => ({ at, value: near(quantile(values, at)) })),
  )
  expect(bins.map((bin: Json) => bin.imageCount)).toEqual(
    [0, 0.5, 1, 1.5].map((from) => values.filter((value) => value >= from && value < from + 0.5).length),
  )
})

it('48: a heat map of metrics', async () => {
  const correlations = (await ask(48)).dataset.system.metricCorrelations
  expect(correlations).toHaveLength(3)
  for (const { first, second, imageCount, pearson: found, spearman } of correlations) {
    const [a, b] = [first, second].map(({ name }) => imageScores('strong', name).map(({ value }) => value))
    expect({ imageCount, found }).toEqual({ imageCount: 200, found: near(pearson(a, b)) })
    const ranks = (values: readonly number[]) =>
      values.map(
        (value) =>
          values.filter((other) => other < value).length +
          (values.filter((other) => other === value).length + 1) / 2,
      )
    expect(spearman).toBeCloseTo(pearson(ranks(a), ranks(b)), 6)
  }
})

it('49: a table of scores', async () => {
  const { externalIds, columns } = (await ask(49)).dataset.scoreTable
  expect(externalIds).toEqual(IMAGES)
  expect(columns.map(({ subject, metric }: Json) => `${subject.name} ${metric.name}`).sort()).toEqual(
    ['BLEU-4', 'CIDEr-D', 'ROUGE-L'].flatMap((metric) => [`strong ${metric}`, `weak ${metric}`]).sort(),
  )
  for (const { subject, metric, values, undefinedReason } of columns) {
    expect(undefinedReason).toBeNull()
    expect(values).toEqual(imageScores(subject.name, metric.name).map(({ value }) => near(value)))
  }
})

it('50: captions of a system about animals', async () => {
  const { totalCount, nodes } = (await ask(50)).dataset.system.captions
  const found = captionsOf('strong').filter((caption) =>
    ['dog', 'cat', 'horse'].some((word) => uses(word)(caption)),
  )
  expect(totalCount).toBe(found.length)
  expect(nodes).toEqual(
    found.map(({ image, text, tokens }) => ({
      text,
      tokens,
      image: { externalId: image, captions: humanCaptions(image).map((caption) => ({ text: caption.text })) },
    })),
  )
})

it('51: where people disagree', async () => {
  const { score } = (await ask(51)).dataset.humanAgreement
  expect(score.mean).toEqual(near(peopleMean('CIDEr-D')))
  // CIDEr-D of a corpus is the mean of its images.
  expect(mean(score.vector.values)).toEqual(near(peopleMean('CIDEr-D')))
  const rows = score.vector.externalIds.map((image: string, index: number) => ({
    image,
    value: score.vector.values[index],
  }))
  const worst = rows.toSorted((a: Json, b: Json) => a.value - b.value).slice(0, 5)
  expect(score.imageScores).toEqual({
    totalCount: 200,
    nodes: worst.map(({ image, value }: Json) => ({
      value,
      image: { externalId: image, captions: humanCaptions(image).map(({ text }) => ({ text })) },
    })),
  })
})

it('52: agreement by part of speech', async () => {
  const { wordAgreement, words: page } = (await ask(52)).dataset
  const { texts, partsOfSpeech } = page.columns
  expect(partsOfSpeech).toEqual(texts.map((text: string) => wordFacts(text).partOfSpeech))
  expect(wordAgreement.wordCount).toBe(words.size)
  expect(wordAgreement.byPartOfSpeech.length).toBe(new Set(partsOfSpeech).size)
  for (const row of wordAgreement.byPartOfSpeech) {
    const facts = allWords.filter(({ partOfSpeech }) => partOfSpeech === row.partOfSpeech)
    const [precisions, recalls] = [
      defined(facts.map(({ precision }) => precision)),
      defined(facts.map(({ recall }) => recall)),
    ]
    expect(row).toEqual({
      partOfSpeech: row.partOfSpeech,
      wordCount: facts.length,
      definedWordCount: precisions.length,
      meanPrecision: near(mean(precisions)),
      meanRecall: near(mean(recalls)),
    })
  }
})

it('54: from the last page', async () => {
  const last = (await ask(54)).dataset.words
  expect(last.nodes.map(({ text }: Json) => text)).toEqual(allTexts.slice(-5))
  expect(last.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false })
  const before = (await ask(54, { before: last.pageInfo.startCursor })).dataset.words
  expect(before.nodes.map(({ text }: Json) => text)).toEqual(allTexts.slice(-10, -5))
  expect(before.pageInfo.hasNextPage).toBe(true)
})

it('55: a data card', async () => {
  const { createdAt, ...card } = (await ask(55)).dataset
  expect(card).toEqual({
    name: 'golden',
    imageCount: 200,
    captionCount: 1000,
    captionsPerImage: 5,
    excludedImageCount: 0,
    language: 'en',
    tokenizer: expect.stringMatching(/^ptb-/),
    words: { totalCount: words.size },
    systems: { totalCount: 6 },
  })
  expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(24 * 3_600_000)
})

it('56: what a caption says', async () => {
  const [caption] = (await ask(56)).dataset.image.systemCaptions.nodes
  expect(caption.text).toBe('a gray cat sitting on a windowsill looking out the window at a bird')
  expect(caption.sceneGraph.objects).toEqual(expect.arrayContaining(['cat', 'windowsill', 'window', 'bird']))
  expect(caption.sceneGraph.objectAttributes).toContainEqual({ object: 'cat', attribute: 'gray' })
  const tuple = (names: string[]) => caption.matchedTuples.find((one: Json) => `${one.names}` === `${names}`)
  // People say "a gray cat" as well.
  expect(humanCaptions('2').some(({ text }) => /gray cat/i.test(text))).toBe(true)
  expect(tuple(['cat', 'gray'])).toMatchObject({ kind: 'COLOR', match: ['cat', 'gray'] })
})

it('57: a footnote', async () => {
  const { signature, provenance } = (await ask(57)).dataset.system.score
  expect(signature).toMatch(/^CIDEr-D\b/)
  expect(provenance).toMatchObject({
    metricName: 'CIDEr-D',
    isHuman: false,
    referenceRange: { min: 5, max: 5, foldCount: null },
    documentFrequencies: { source: 'OWN', imageCount: 200 },
    measuredImages: { imageCount: 200, completeImageCount: 200 },
  })
  expect(signature).toContain(provenance.tokenizer.replace(/-.*/, ''))
})

it('58: how varied captions are', async () => {
  const { imageCount, people, systems } = (await ask(58)).dataset.diversity
  expect(imageCount).toBe(200)
  const lengths = (rows: readonly CaptionFacts[]) => rows.map(({ tokens }) => tokens.length)
  expect(Math.abs(people.meanLength.value - mean(lengths(captions)))).toBeLessThan(0.5)
  for (const { system, figures } of systems.nodes) {
    const own = captionsOf(system.name)
    const distinct = new Set(own.map(({ tokens }) => tokens.join(' '))).size
    expect(figures).toEqual({
      meanLength: { value: near(mean(lengths(own))) },
      lengthDeviation: { value: near(deviation(lengths(own))) },
      distinctShare: { value: near(distinct / own.length) },
    })
  }
  expect(systems.nodes).toHaveLength(3)
})

it('59: invented objects', async () => {
  const { totalCount, nodes } = (await ask(59)).dataset.system.unconfirmedObjects
  expect(totalCount).toBeGreaterThanOrEqual(nodes.length)
  expect(nodes.length).toBeGreaterThan(0)
  const counts = nodes.map(({ mentionCount }: Json) => mentionCount)
  expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a))
  for (const { name, imageCount, captionCount, images } of nodes) {
    expect(captionCount).toBeGreaterThanOrEqual(imageCount)
    for (const { externalId, captions: said, systemCaptions } of images) {
      expect(systemCaptions.nodes).toEqual([{ text: captionBy('weak', externalId).text }])
      expect(said.filter(({ text }: Json) => text.toLowerCase().split(/\W+/).includes(name))).toEqual([])
    }
  }
})

it('60: an import by the schema alone', async () => {
  const { upload, url, method, contentType, maximumBytes } = (await ask(60, {}, 'CreateUpload')).createUpload
  const content = JSON.stringify([
    { image: 1, caption: 'A dog runs.' },
    { image: 1, caption: 'The dog.' },
    { image: 2, caption: 'A cat.' },
    { image: 2, caption: 'A cat sleeps.' },
  ])
  expect(content.length).toBeLessThan(maximumBytes)
  const headers = { 'content-type': contentType }
  const sent = await fetch(new URL(url, api.url), { method, headers, body: content })
  expect(sent.status).toBe(201)
  await ended((await ask(60, { upload }, 'Import')).importCaptions)
  const { words: found, ...counts } = (await ask(60, {}, 'Result')).dataset
  expect(counts).toEqual({ imageCount: 2, captionCount: 4 })
  const count = (text: string) => found.nodes.find((word: Json) => word.text === text)?.captionCount
  expect(['a', 'dog', 'cat', 'runs'].map(count)).toEqual([3, 2, 2, 1])
})

it('are all executed', () => {
  expect([...executed].sort()).toEqual(FILES)
})
