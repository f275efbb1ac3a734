import type { Scene } from '../src/formats/boxes/scenes.js'

/**
 * Returns captions of all scenes in the format of COCO results, to be submitted to the challenge on them: each names the
 * first two kinds of objects of its scene, with their first attributes.
 */
export function makeSubmission(scenes: readonly Scene[]): string {
  const lines = scenes.map((scene) => `  { "image_id": "${scene.imageId}", "caption": "${describe(scene)}" }`)
  return `[\n${lines.join(',\n')}\n]\n`
}

function describe({ boxes }: Scene): string {
  const kinds = new Map<string, string>()
  for (const { concept, attributes } of boxes) {
    const name = concept.replace(/\..*/, '').replaceAll('_', ' ')
    if (!kinds.has(name)) kinds.set(name, withArticle([...attributes.slice(0, 1), name].join(' ')))
  }
  return [...kinds.values()].slice(0, 2).join(' and ')
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
