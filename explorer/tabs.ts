/** Example operations on the bundled dataset `scenes`: one tab of the explorer each, titled by the operation's name. */
export const TABS: readonly string[] = [
  `# How much do people
# agree when they describe
# an image, and how do
# systems compare?
# The button runs the
# example of a tab. The
# book explains fields.

query Words {
  dataset(name: "scenes") {
    imageCount
    captionCount
    words(first: 10) {
      nodes {
        text
        countHistogram
        agreement {
          precision
          recall
        }
      }
    }
  }
}
`,
  `# Systems with word
# scores, beside people.

query Leaderboard {
  dataset(name: "scenes") {
    leaderboard {
      rows {
        rank
        isHuman
        system {
          name
        }
        value
        wordCount
      }
    }
  }
}
`,
  `# What people and
# systems wrote.

query Captions {
  dataset(name: "scenes") {
    images(first: 3) {
      nodes {
        externalId
        captions {
          text
        }
        systemCaptions {
          text
          system {
            name
          }
        }
      }
    }
  }
}
`,
  `# One word: how much
# people agree on it, and
# a model of its use.

query Word($text: String = "dog") {
  dataset(name: "scenes") {
    word(text: $text) {
      imageCount
      agreement {
        precision
        precisionInterval {
          lower
          upper
        }
      }
      usageModel(kind: BINOMIAL) {
        usageProbability
        objectProbability
      }
      images(first: 3) {
        nodes {
          externalId
          captions {
            text
          }
        }
      }
    }
  }
}
`,
  `# Metrics that this
# server can compute.

query Metrics {
  metrics {
    name
    description
    lowest
    highest
    citation
  }
}
`,
]
