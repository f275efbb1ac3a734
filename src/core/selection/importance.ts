import type { UndefinedReason } from '../../undefined-reason.js'
import type { BoxedImage, Description } from './scenes.js'

/** Importance of a concept: how often people mention it when an image shows it. */
export interface ConceptImportance {
  readonly concept: string
  /** Number of images with a box of the concept. */
  readonly images: number
  /** Number of descriptions of those images that mention at least one box. */
  readonly present: number
  /** Number of those descriptions that mention a box of the concept. */
  readonly named: number
  /** named / present, 0..1. Null if `present` is 0. */
  readonly importance: number | null
  readonly undefinedReason: UndefinedReason | null
}

/**
 * Computes the importance of every concept that has a box, in order of first appearance. As in the content
 * selection metric, descriptions that mention no box are ignored. A description that mentions several boxes of a
 * concept counts once.
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
