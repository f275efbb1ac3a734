import type { BoxedImage, Description } from './types.js'

/** How important a concept is to people: how often they name it when an image shows it. */
export interface ConceptImportance {
  readonly concept: string
  /** Images with a box of the concept. */
  readonly images: number
  /** Descriptions of those images that name any box. */
  readonly present: number
  /** Those of them that name a box of the concept. */
  readonly named: number
  /** named / present, in 0..1; `null` where no description names any box of such an image. */
  readonly importance: number | null
  readonly undefinedReason: 'NO_DESCRIPTIONS' | null
}

/**
 * The importance of every concept that has a box, in the order of first appearance. As in the metric,
 * descriptions that name no box are not counted; a description that names two boxes of a concept counts
 * once for it.
 */
export function conceptImportance(
  images: readonly BoxedImage[],
  descriptions: readonly Description[],
): ConceptImportance[] {
  const mentionsOfImage = new Map<string, (readonly string[])[]>(images.map(({ imageId }) => [imageId, []]))
  for (const { imageId, mentions } of descriptions) {
    if (mentions.length > 0) mentionsOfImage.get(imageId)?.push(mentions)
  }
  const counts = new Map<string, { images: number; present: number; named: number }>()
  for (const { imageId, boxes } of images) {
    const conceptOfBox = new Map(boxes.map(({ id, concept }) => [id, concept]))
    const ofImage = mentionsOfImage.get(imageId)!
    const namedConcepts = ofImage.map((mentions) => new Set(mentions.map((box) => conceptOfBox.get(box))))
    for (const concept of new Set(conceptOfBox.values())) {
      const count = counts.get(concept) ?? { images: 0, present: 0, named: 0 }
      count.images++
      count.present += ofImage.length
      count.named += namedConcepts.filter((named) => named.has(concept)).length
      counts.set(concept, count)
    }
  }
  return [...counts].map(([concept, count]) => ({
    concept,
    ...count,
    importance: count.present > 0 ? count.named / count.present : null,
    undefinedReason: count.present > 0 ? null : 'NO_DESCRIPTIONS',
  }))
}
