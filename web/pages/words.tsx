import type { Parameters } from '../app/router'
import { Plane } from './plane'

/** Which words people agree on: figure 3 of the COCO Captions paper, live. */
export default function Words({ dataset }: Parameters) {
  return (
    <>
      <h1>Which words do people agree on?</h1>
      <p class="lede">
        Precision is the share of uses that other captions of the image confirm; recall is the share of people
        who use the word where others do. The line is the word-usage model.
      </p>
      <Plane dataset={dataset} />
    </>
  )
}
