/** Every option of every command is executed, and every default that the help shows is the default. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { nameOf } from '../../src/cli/next-steps.js'
import { createProgram } from '../../src/cli/program.js'
import { projectFile } from '../../src/project.js'
import { outcomeOf, runHere, urlOf, workbench } from '../cli/kit.js'
import { npyScores } from '../kit/coco.js'
import { prepareFolder } from '../kit/documents.js'
import { parksFile } from '../kit/parks.js'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const folder = await prepareFolder(world)
const api = await world.serve({ accounts: 'OPEN', workers: 1 })
const server = new URL('.', api.url).href
const write = (name: string, content: string) => writeFileSync(join(folder, name), content)

const METEOR = `--meteor-data ${projectFile('dist/resources/meteor')}`
const VECTORS = '--embeddings vectors.txt'
const OUTPUT = '--format json --width 100 --out out.json --force'
const FILES =
  '--allow-missing --allow-extra --strip-markup --split val --ids ids.txt --language en --tokenizer ptb --match id --columns image=image_id,caption=caption_*'
const MODEL =
  '--validation-images 2 --test-images 2 --min-word-count 1 --embedding 4 --state 4 --dropout 0.1 --decay 0.9 --batch 8 --epochs 1 --patience 1 --beam 2 --seed 1 --visual-only'

write('ids.txt', '1\n2\n3\n')
write('vectors.txt', 'dog .1 .2 .3\ncat .2 .1 .3\n')
write('settings.json', '{ "references": 2 }')
write(
  'split.csv',
  'image_id,caption_1,caption_2,split\n1,A dog.,The dog.,val\n2,A cat.,The cat.,val\n3,A cow.,The cow.,test\n',
)
write('lines.txt', 'A dog.\nA cat.\nA cow.\n')
write('others.txt', 'The dog.\nThe cat.\nThe cow.\n')
write(
  'domains.json',
  JSON.stringify({
    images: [1, 2, 3].map((id) => ({ id, domain: id === 1 ? 'in' : 'out' })),
    annotations: [1, 2, 3, 1, 2, 3].map((image, id) => ({ id, image_id: image, caption: 'A dog.' })),
  }),
)
write('few.jsonl', '{"image_id":1,"caption":"A dog."}\n{"image_id":9,"caption":"A cat."}\n')
write('words.csv', 'word,part_of_speech\ndog,NN\ncat,NN\n')
writeFileSync(
  join(folder, 'scores.npy'),
  npyScores([
    [0.1, 0.2],
    [0.3, 0.4],
  ]),
)
write('two.txt', '1\n2\n')
write('pairs.txt', 'A dog.\nThe dog.\nA cat.\nThe cat.\n')
write('pair-ids.txt', '1\n1\n2\n2\n')
write('atoms.csv', 'atom,count\ndog,5\ncat,3\n')
write('thumb.jsonl', '{"SYS":"a","seg_id":"1","set_id":5,"hyp":"A dog.","image":"1.jpg","human_score":3.4}\n')
write('thumb.json', '{"seg_id":"1","set_id":5,"refs":["A dog.","The dog."]}\n')
write('some-scores.csv', 'image_id,score\n1,.5\n')
write('some.jsonl', '{"image_id":1,"words":{"dog":0.9}}\n')
write('own-ratings.csv', 'image_id,text,grade\n1,A dog.,3\n2,A cat.,4\n')
write('objects.csv', 'image_id,objects\n1,dog\n2,cat\n3,cow\n')
write('own.js', "export default { name: 'own', lowest: 0, highest: 1, score: () => 0.5 }\n")
write('object-words.csv', 'object,words\ndog,dog\ncat,cat\ncow,cow\n')
write('ratings.jsonl', '{"image_id":1,"captions":[{"caption":"A dog.","ratings":[3,4]}]}\n')
write('more.csv', parksFile(2))
write('changes.json', '{"phases":[{"name":"main","limits":{"total":5}}]}')
write(
  'challenge.json',
  '{"phases":[{"name":"main","dataset":"three","closesAt":"2120-01-01T00:00:00Z","metrics":["BLEU-1"]}]}',
)
write('three.json', '{"1":"A dog.","2":"A cat.","3":"A cow."}')
write('votes.csv', 'atom,visual\ndog,yes\n')

/** A command line, and what it reads from standard input or exits with if that is not 0. */
type Line = string | readonly [line: string, expected: { readonly input?: string; readonly code?: number }]

const PASSWORD = { input: 'correct horse 1\n' }

/** In an order in which they succeed. */
const LINES: readonly Line[] = [
  '--version',
  'datasets --help',
  `score references.json mine.json baseline.json --metrics BLEU-1 METEOR --meteor-language de --significance --layout long --signatures --percent --document-frequencies coco ${METEOR} ${OUTPUT} --config settings.json --quiet`,
  ['score references.json mine.json --fail-below BLEU-1=1 --json --metrics BLEU-1', { code: 3 }],
  'score references.json mine.json --fail-if-worse baseline.json --metrics BLEU-1',
  `score split.csv lines.txt ${FILES} --metrics WMD ${VECTORS}`,
  'score lines.txt three.json --ids ids.txt --metrics CHAIR --objects objects.csv',
  'score lines.txt three.json --ids ids.txt --metrics CHAIR --object-words object-words.csv --chair-compatible',
  'score lines.txt three.json --ids ids.txt --more-references others.txt --language en --tokenizer unicode --metrics BLEU-1',
  'score domains.json three.json --by domain --metrics BLEU-1',
  'score lines.txt three.json --ids ids.txt --metric-module own.js',
  'agreement lines.txt --ids ids.txt --more-references others.txt --metrics own --metric-module own.js',
  'compare lines.txt three.json --ids ids.txt --more-references others.txt --people --metrics own --metric-module own.js',
  'import captions lines.txt --dataset pairs --ids ids.txt --more-references others.txt --language en --tokenizer ptb',
  'words lines.txt --ids ids.txt --more-references others.txt',
  'agreement lines.txt --ids ids.txt --more-references others.txt --metrics BLEU-1',
  'compare lines.txt three.json --ids ids.txt --more-references others.txt --people --metrics BLEU-1',
  'examples lines.txt three.json --ids ids.txt --more-references others.txt --metric BLEU-1',
  'compare domains.json three.json --people --by domain --metrics BLEU-1',
  ['evaluate --dataset pairs --by domain', { code: 1 }],
  ['leaderboard --dataset pairs --by domain --metrics BLEU-1', { code: 1 }],
  'import captions split.csv --dataset split --captions-per-image 2 --vocabulary words.csv --split val --columns image=image_id,caption=caption_* --private',
  'import captions lines.txt --dataset three --ids ids.txt --images .',
  'import results few.jsonl --dataset three --system few --match id --columns image=image_id,caption=caption --allow-extra --strip-markup --allow-missing',
  'import results lines.txt --dataset three --system lines --ids ids.txt',
  'import results lines.txt --dataset three --system lines --ids ids.txt --replace',
  'import scores some.jsonl --dataset split --system some --allow-missing',
  'import scores some.jsonl --dataset split --system some --allow-missing --replace',
  'import scores scores.npy --dataset split --system array --vocabulary words.csv --image-ids two.txt',
  'import objects objects.csv --dataset three',
  'evaluate --dataset three --metrics CHAIR open-CHAIR object-recall --system few',
  'import boxes boxes_dev.json --dataset dev --private --images .',
  'import boxes boxes_test.json --dataset boxes',
  'import descriptions captioner.json --dataset boxes --system described --allow-missing',
  'import votes votes.csv --dataset scenes --kind entity --people 3',
  'import judgements thumb.jsonl --dataset judged --captions thumb.json --private',
  'import judgements judgements.jsonl --dataset rated',
  'import judgements own-ratings.csv --dataset three --match id --columns image=image_id,caption=text,rating=grade',
  [
    'import metric-scores some-scores.csv --dataset scenes --match id --columns image=image_id,score=score --system nobody --metric Other --metric-version 1 --range 0 1',
    { code: 1 },
  ],
  'import metric-scores clip.jsonl --dataset scenes --metric CLIPScore --metric-version 1 --range 0 2.5',
  [
    'import metric-scores --dataset scenes --metric Low --metric-version 1 --range 0 1 --lower-is-better --metric-command false --metric-timeout 5',
    { code: 1 },
  ],
  `datasets ${OUTPUT} --json`,
  `systems --dataset scenes --bounds ${OUTPUT} --json`,
  `show animals-01 --dataset scenes --system good --bounds --metrics CIDEr-D --document-frequencies coco ${METEOR} --percent ${OUTPUT} --json`,
  `words --dataset scenes --system good --references 2 --sort gap --min-images 5 --top 5 --part-of-speech NN --vocabulary-of scenes --percent ${OUTPUT} --json`,
  'words --dataset scenes --word dog --by language --details',
  `words split.csv lines.txt ${FILES}`,
  `metrics ${OUTPUT} --json`,
  'verify metrics/good/BLEU-1 --dataset scenes',
  `evaluate --dataset scenes --system good --people --metrics BLEU-1 --references 2 --document-frequencies coco ${METEOR} ${VECTORS} --per-image images.csv --fail-below BLEU-1=.01 --layout long --signatures --percent ${OUTPUT} --json`,
  `agreement --dataset scenes --metrics BLEU-1 --references 2 --by language --document-frequencies coco ${METEOR} ${VECTORS} --percent ${OUTPUT} --json`,
  'agreement split.csv --split val --language en --tokenizer ptb --columns image=image_id,caption=caption_* --metrics BLEU-1',
  'agreement pairs.txt --ids pair-ids.txt --metrics BLEU-1',
  `diversity --dataset scenes --system good old --percent ${OUTPUT} --json`,
  `diversity split.csv lines.txt ${FILES} --training domains.json`,
  'diversity lines.txt three.json --ids ids.txt --more-references others.txt',
  `coverage --dataset scenes --system good --units types --references 1 --plot plot.svg --percent ${OUTPUT} --json`,
  `coverage split.csv lines.txt ${FILES} --document-frequencies coco`,
  'coverage lines.txt three.json --ids ids.txt --more-references others.txt',
  'coverage lines.txt three.json --ids ids.txt --units objects --object-words object-words.csv --chair-compatible',
  `compare --dataset scenes --system good old --people --metrics BLEU-1 --references 2 --document-frequencies coco ${METEOR} ${VECTORS} --details --percent ${OUTPUT} --json`,
  'compare --dataset scenes --system good old --word-precision --part-of-speech NN --vocabulary-of scenes',
  'compare --dataset scenes --people --phr --word dog',
  'compare --dataset scenes --average-precision',
  `compare split.csv lines.txt three.json ${FILES} --metrics BLEU-1`,
  `examples --dataset scenes --system good --against old --metric CIDEr-D --worst 2 --document-frequencies coco ${METEOR} ${VECTORS} --percent ${OUTPUT} --json`,
  `examples split.csv lines.txt ${FILES} --metric BLEU-1 --best 2`,
  `leaderboard --dataset scenes --metrics CIDEr-D --references 2 --document-frequencies coco --bounds --layout long ${METEOR} ${VECTORS} --percent ${OUTPUT} --json`,
  'leaderboard --dataset scenes --captions',
  'leaderboard --dataset scenes --phr',
  'leaderboard --dataset scenes --part-of-speech NN --vocabulary-of scenes',
  `judge --dataset rated --metrics BLEU-1 METEOR --compare BLEU-1 METEOR --resamples 100 ${METEOR} ${VECTORS} --details ${OUTPUT} --json`,
  ['judge --dataset rated --metrics BLEU-1 --anchor people', { code: 1 }],
  `train composite --name Own --features BLEU-1 ROUGE-L --objective origin --linear --data scenes --validation scenes --seed 1 ${METEOR} ${VECTORS}`,
  `artefacts list ${OUTPUT} --json`,
  'artefacts show Own',
  'artefacts export Own own.json --force',
  'artefacts remove Own --yes',
  'artefacts import own.json',
  ['train composite --all-published --data nowhere --validation rated', { code: 2 }],
  `selection --dataset boxes --priors dev --k 1 --system human --percent ${OUTPUT} --json`,
  'selection --dataset boxes --priors-share 0.5',
  'papers --dataset scenes --width 100',
  'papers selection-table-1 --dataset boxes --priors-share 0.5',
  `papers selection-table-1 --dataset boxes --priors dev ${METEOR} ${VECTORS} ${OUTPUT} --json`,
  `report --dataset three --out report.html --force ${METEOR} ${VECTORS}`,
  'report --dataset scenes --latex --system good old --metrics BLEU-1 --document-frequencies coco --bold tied --percent --images .',
  `report split.csv lines.txt three.json ${FILES} --markdown --metrics BLEU-1`,
  'report lines.txt three.json --ids ids.txt --more-references others.txt --force',
  'collect create --dataset parks --images more.csv --per-image 1',
  `collect list ${OUTPUT} --json`,
  `collect show parks ${OUTPUT} --json`,
  ['collect finish parks --dataset parks --people apart', { code: 1 }],
  'collect remove parks --yes',
  'parse captions.txt',
  `atoms --dataset scenes --kind entity --top 5 --compare atoms.csv ${OUTPUT} --json`,
  `votes --dataset scenes ${OUTPUT} --json`,
  'votes cast --dataset scenes --voter ann --kind entity --visual dog --not-visual cat',
  `bounds run --dataset scenes --kind entity --atoms 1 --replace 0 --search 1 ${MODEL.replace(' --visual-only', '')}`,
  `bounds train --dataset scenes --kind entity --atoms 1 --replace 0 ${MODEL}`,
  `bounds run --dataset scenes --kind entity --atoms 1 ${MODEL}`,
  `bounds --dataset scenes --metric BLEU-1 --no-retrieval --percent ${OUTPUT} --json`,
  'bounds export bound.model --dataset scenes --system bound-entity-1 --force',
  'remove system bound-entity-1 --dataset scenes --yes',
  'bounds import bound.model --dataset scenes',
  'challenge create three --file challenge.json',
  [
    'challenge create more --preset coco-captions-2015 --phase val-c5=three --closes 2120-01-01T00:00:00Z',
    { code: 2 },
  ],
  `challenge list ${OUTPUT} --json`,
  `challenge show three ${OUTPUT} --json`,
  'challenge update three --file changes.json',
  'challenge pause three --resume',
  `submit three.json --challenge three --phase main --method new --link https://example.org/ --anonymous --team local ${METEOR} ${VECTORS}`,
  `challenge board three --phase main --order-by BLEU-1 ${OUTPUT} --json`,
  `challenge submissions three --phase main ${OUTPUT} --json`,
  'challenge grant three --phase main --team local --count 2',
  'challenge export three',
  `challenge audit three ${OUTPUT} --json`,
  'challenge rerun three',
  'challenge remove three --yes',
  ['users add root --admin', PASSWORD],
  ['users add ann --host', PASSWORD],
  'users list',
  'users role ann user',
  'users ban ann',
  'users unban ann',
  'users reset ann',
  'users log',
  'teams create reds --owner root',
  'teams invite reds ann',
  'teams list',
  [`login --server ${server} --name root --scope host --days 1`, PASSWORD],
  [`submit three.json --challenge scenes --server ${server} --token accord_none`, { code: 1 }],
  `logout --server ${server}`,
  'export captions --dataset three --out captions.json --force',
  'export results --dataset three --system lines --out results.json --force',
  'export frequencies --dataset three --out three.frequencies --force',
  `export scores --dataset scenes --system good --references 2 --document-frequencies coco --format json --out scores.csv --force --json`,
  // The folder has its files.
  ['demo', { code: 2 }],
  'demo --force',
  'remove dataset three --yes',
  'copy --from accord.sqlite --to copied.sqlite',
  'backup saved.sqlite --force --database copied.sqlite',
  'restore saved.sqlite --yes --database copied.sqlite',
  'check --compact --database copied.sqlite',
  'completion bash',
  'complete -- accord data',
]

/** Commands that do not end. */
const SERVERS = [
  `serve --host 127.0.0.1 --port 0 --accounts --invited-only --allow-origin https://a.example --allow-host a.example --trust-proxy 10.0.0.0/8 --path-prefix /accord --images . --upload-limit 1mb --submission-limit 1mb --log json --metrics-port 0 --workers 1 ${METEOR} ${VECTORS}`,
  'serve --port 0 --open',
  'serve --port 0 --read-only',
]
const WORKER = `worker --workers 1 --log json ${METEOR} ${VECTORS}`

const program = await createProgram()
const commands: readonly Command[] = [program, ...below(program)]

function below(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...below(one)])
}

const isExecutable = (command: Command) =>
  (command as unknown as { _actionHandler: unknown })._actionHandler != null

/** The command of a line, and its options. */
function readLine(line: string): { readonly command: Command; readonly options: readonly Option[] } {
  let command: Command = program
  const options: Option[] = []
  for (const word of line.split(' ')) {
    const sub = options.length === 0 && command.commands.find((one) => one.name() === word)
    if (sub) command = sub
    else if (word.startsWith('-')) {
      const known = [...command.options, ...program.options]
      options.push(...known.filter(({ short, long }) => [short, long].includes(word)))
    }
  }
  return { command, options }
}

const keyOf = (command: Command, { long }: Option) => `${nameOf(command)} ${long}`.trim()

/** Runs a command whose standard input is a text. */
async function run(line: string, input = '') {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const typed = new PassThrough()
  typed.end(input)
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => typed })
  try {
    return await runHere(line, { XDG_CONFIG_HOME: join(world.folder, 'config') }, folder)
  } finally {
    Object.defineProperty(process, 'stdin', stdin)
  }
}

describe('every option', () => {
  it.each(LINES.map((line) => (typeof line === 'string' ? ([line, {}] as const) : line)))(
    'accord %s',
    async (line, { input, code = 0 }) => {
      const outcome = await run(line, input)
      expect({ code: outcome.code, stderr: code === 0 ? outcome.stderr : '' }).toMatchObject({
        code,
        stderr: expect.not.stringContaining('accord: '),
      })
      expect(outcome.stderr).not.toContain('internal error')
    },
  )

  const bench = workbench()
  it.each(SERVERS)('accord %s', async (line) => {
    await bench.run(`import captions ${join(folder, 'references.json')} --dataset any`)
    writeFileSync(bench.path('vectors.txt'), 'dog .1 .2\n')
    const process = bench.start(line)
    const ended = outcomeOf(process)
    expect(await urlOf(process)).toMatch(/^http/)
    process.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0 })
  })

  it(`accord ${WORKER}`, async () => {
    const process = bench.start(WORKER)
    const ended = outcomeOf(process)
    await new Promise((resolve) => process.stdout?.once('data', resolve))
    process.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0 })
  })

  it('is executed at least once', () => {
    const executed = new Set<string>()
    const lines = [...LINES.map((line) => (typeof line === 'string' ? line : line[0])), ...SERVERS, WORKER]
    for (const { command, options } of lines.map(readLine)) {
      executed.add(nameOf(command))
      for (const option of options) {
        executed.add(keyOf(command.options.includes(option) ? command : program, option))
      }
    }
    const all = commands.flatMap((command) => [
      ...(isExecutable(command) && command !== program ? [nameOf(command)] : []),
      ...command.options.map((option) => keyOf(command, option)),
    ])
    // Every command has the same --help.
    expect(all.filter((name) => !executed.has(name))).toEqual([])
  })
})

/** What a command prints without an option, and with the option at the default that its help shows. */
const DEFAULTS: readonly (readonly [line: string, explicit: string])[] = [
  ['score references.json mine.json', '--metrics BLEU ROUGE-L CIDEr-D METEOR'],
  ['score references.json mine.json --metrics BLEU-1', '--layout wide'],
  ['score references.json mine.json --metrics BLEU-1', '--format table'],
  ['compare --dataset scenes --system good old --people --metrics BLEU-1', '--references 4'],
  ['compare --dataset scenes --metrics BLEU-1', '--system good old verbose'],
  ['agreement --dataset scenes --metrics BLEU-1', '--references 4'],
  ['words --dataset scenes --top 5', '--references 4'],
  ['examples --dataset scenes --system good', '--metric CIDEr-D'],
  ['examples --dataset scenes --system good', '--worst 10'],
  ['judge judgements.jsonl --metrics BLEU-1 --details', '--resamples 1000'],
  ['atoms --dataset scenes --kind entity', '--database accord.sqlite'],
  ['challenge board scenes', '--phase main'],
  ['challenge submissions scenes', '--phase main'],
]

describe('a default that is shown is the default', () => {
  it.each(DEFAULTS)('accord %s: %s', async (line, explicit) => {
    const [flag] = explicit.split(' ')
    const { command, options } = readLine(`${line} ${flag}`)
    expect(options.map(({ long, short }) => long === flag || short === flag)).toContain(true)
    expect(command.commands).toEqual([])
    const [without, given] = [await run(line), await run(`${line} ${explicit}`)]
    expect(without).toMatchObject({ code: 0 })
    expect(given.stdout).toBe(without.stdout)
  })
})
