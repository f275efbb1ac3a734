import { readFileSync } from 'node:fs'
import { readScenes, type Scene } from '../../formats/boxes/scenes.js'
import { projectFile } from '../../project.js'

/** A file of the bundled dataset in a format that is read. */
export interface ExampleFile {
  readonly name: string
  /** What it has, for people. */
  readonly about: string
  readonly content: string
}

/** The files that commands of the documentation name. */
export function exampleFiles(): ExampleFile[] {
  const scenes = readScenes(projectFile('seed/scenes'))
  return [
    {
      name: 'references.json',
      about: 'captions by people, in COCO captions format',
      content: json({ images: scenes.map(toImage), annotations: scenes.flatMap(toAnnotations) }),
    },
    {
      name: 'mine.json',
      about: 'captions of a system, in COCO results format',
      content: json(resultsOf(scenes, 'good')),
    },
    { name: 'baseline.json', about: 'captions of another system', content: json(resultsOf(scenes, 'old')) },
    {
      name: 'scores.jsonl',
      about: 'word scores of a detector',
      content: readFileSync(projectFile('seed/scores/detector-large.jsonl'), 'utf8'),
    },
    {
      name: 'judgements.jsonl',
      about: 'captions that people have judged, with references',
      content: judgementsOf(scenes),
    },
  ]
}

const json = (value: object) => `${JSON.stringify(value)}\n`

function toImage({ imageId: id, width, height }: Scene) {
  return { id, width, height }
}

function toAnnotations({ imageId, captions }: Scene) {
  return captions.map(({ id, sentence }) => ({ id, image_id: imageId, caption: sentence.text }))
}

function resultsOf(scenes: readonly Scene[], system: string) {
  return scenes.flatMap(({ imageId, systems }) => {
    const caption = systems.get(system)
    return caption ? [{ image_id: imageId, caption: caption.sentence.text }] : []
  })
}

/** The bundled judgements, each with the human captions of its image. */
function judgementsOf(scenes: readonly Scene[]): string {
  const references = new Map(
    scenes.map(({ imageId, captions }) => [imageId, captions.map(({ sentence }) => sentence.text)]),
  )
  return readFileSync(projectFile('seed/judgements.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((judged) => json({ ...judged, references: references.get(judged.image_id) }))
    .join('')
}
