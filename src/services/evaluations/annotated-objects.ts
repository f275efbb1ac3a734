import { createContentHash } from '../../compute/content-hash.js'
import { canonicalJson, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { firstTerm } from '../../core/selection/importance.js'
import type { Corpus } from '../../core/text/sequences.js'
import type { ImageObjects } from '../../store/objects.js'
import type { Material } from './plan.js'

/** Objects that are annotated in images. */
export interface AnnotatedObjects {
  /** Names, by number of the image. */
  readonly ofImages: ReadonlyMap<number, readonly string[]>
  /** Enters signatures: equal for the same objects of the same images. */
  readonly hash: string
}

/** Names may be concepts, as boxes have them, such as `traffic_light.n.01` and `car, auto`: their first terms count. */
export function annotatedObjects(images: readonly ImageObjects[]): AnnotatedObjects {
  const content = createContentHash()
  const ofImages = new Map<number, readonly string[]>()
  for (const { image, externalId, names } of images) {
    const sorted = [...new Set(names.map(firstTerm))].sort()
    content.add(canonicalJson([externalId, sorted]))
    ofImages.set(image, sorted)
  }
  return { ofImages, hash: content.digest(['objects']) }
}

/** What confirms the objects of scores, by how these were made. */
export function objectNotes(
  registry: MetricRegistry,
  records: readonly Pick<ProvenanceRecord, 'metric' | 'resources'>[],
): string[] {
  const counting = records.filter(({ metric }) => registry.require(metric).needs.objects)
  const areAnnotated = counting.map(({ resources }) => resources.objects !== undefined)
  return [true, false]
    .filter((isAnnotated) => areAnnotated.includes(isAnnotated))
    .map((isAnnotated) => (isAnnotated ? BY_ANNOTATIONS : BY_REFERENCES))
}

/** The same of a comparison of scores, by its signature. */
export function comparedObjectNotes(registry: MetricRegistry, metric: string, signature: string): string[] {
  if (!registry.require(metric).needs.objects) return []
  return [signature.includes('|res:objects-') ? BY_ANNOTATIONS : BY_REFERENCES]
}

const BY_ANNOTATIONS = 'Objects are confirmed by those that are annotated in the images, and by references.'

const BY_REFERENCES =
  'Objects are confirmed by references alone: one that is in the image but in no reference counts as unconfirmed.'

/** The material with annotated objects. */
export function withObjects(material: Material, objects: AnnotatedObjects | null): Material {
  if (objects === null) return material
  const ofTrial = objectsOfTrial(objects, material.imageIds)
  return { ...material, trials: material.trials.map((trial) => ({ ...trial, objects: ofTrial })) }
}

/** The objects of some images, as trials have them. */
export function objectsOfTrial({ ofImages }: AnnotatedObjects, images: Int32Array): Corpus {
  const numbers = new Map<string, number>()
  const tokens: number[] = []
  const offsets = new Int32Array(images.length + 1)
  for (const [index, image] of images.entries()) {
    for (const name of ofImages.get(image) ?? []) {
      const number = numbers.get(name) ?? numbers.size
      numbers.set(name, number)
      tokens.push(number)
    }
    offsets[index + 1] = tokens.length
  }
  return { tokens: Int32Array.from(tokens), offsets, texts: [...numbers.keys()] }
}
