import { bleu } from './bleu.js'
import { cider } from './cider.js'
import type { MetricFamily } from './metric.js'
import { rougeL } from './rouge-l.js'
import { rougeN } from './rouge-n.js'
import { rougeS } from './rouge-s.js'

/** The metrics that need nothing but captions, in the order in which they are shown. */
export const metricFamilies: readonly MetricFamily[] = [bleu, rougeL, rougeN, rougeS, cider]
