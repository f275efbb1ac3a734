import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { outcomeOf, workbench } from '../cli/kit.js'
import { cocoCaptions, cocoResults, npyScores, scoreLines, vocabulary } from '../kit/coco.js'
import { launchBrowser } from '../kit/launch-browser.js'

/** The files that the bench reads, of few images. */
const IMAGES = Array.from({ length: 40 }, (_, index) => index + 1)
const WORDS = ['dog', 'cat', 'man', 'a', 'on']

const { write, path, folder } = workbench()
const caption = (image: number, person: number) =>
  `a ${WORDS[(image * person) % 3]} on the ${['beach', 'street', 'grass', 'sofa'][(image + person) % 4]}`

beforeAll(() => {
  for (const name of ['coco', 'judgements']) mkdirSync(path(name))
  const captions = IMAGES.map((image) => [image, [1, 2, 3, 4, 5].map((person) => caption(image, person))])
  write('coco/captions_val2017.json', cocoCaptions(Object.fromEntries(captions)))
  for (const [index, system] of ['wu-2016', 'shetty-2016', 'vinyals-2017', 'dai-2017'].entries()) {
    const written = Object.fromEntries(IMAGES.map((image) => [image, caption(image, index + 6)]))
    write(`coco/captions_val2017_${system}_results.json`, cocoResults(written))
  }
  write('coco/vocabulary_1000.csv', vocabulary(Object.fromEntries(WORDS.map((word) => [word, 'NN']))))
  const scoreOf = (image: number, word: number) => ((image * (word + 3)) % 17) / 17
  write(
    'coco/word_scores_val2017_ensemble9.npy',
    npyScores(IMAGES.map((image) => WORDS.map((_, word) => scoreOf(image, word)))),
  )
  write('coco/word_scores_val2017_image_ids.json', IMAGES)
  const scores = IMAGES.map((image) => [
    image,
    Object.fromEntries(WORDS.map((text, word) => [text, scoreOf(image, word)])),
  ])
  write('coco/word_scores_val2017_ensemble3.jsonl.gz', scoreLines(Object.fromEntries(scores)))
  const judged = IMAGES.map((image) =>
    JSON.stringify({
      image_id: image,
      references: [caption(image, 1), caption(image, 2)],
      captions: [6, 7].map((person) => ({
        caption: caption(image, person),
        ratings: [1 + ((image * person) % 4)],
      })),
    }),
  ).join('\n')
  for (const name of ['thumb', 'flickr8k_expert']) write(`judgements/${name}.jsonl.gz`, judged)
})

const browser = await launchBrowser()
await browser?.close()

it.each(['all', 'accounts', 'challenge', 'scale', 'servers', 'start', 'words', ...(browser ? ['web'] : [])])(
  'the group %s of the bench runs on a small dataset',
  async (group) => {
    const program = projectFile('dist/bench/main.js')
    const child = spawn(process.execPath, [program, group, '--quick', '--data', path('coco')], {
      cwd: folder,
    })
    const { code, stdout, stderr } = await outcomeOf(child)
    expect({ code, stderr }, stderr.slice(-2000)).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/figure +measured +asked/)
    expect(stdout).not.toMatch(/NaN|undefined/)
  },
)
