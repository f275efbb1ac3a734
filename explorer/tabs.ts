/** Example operations on the bundled dataset `scenes`: one tab of the explorer each, titled by the operation's name. */
export const TABS: readonly string[] = [
  `# How much do people agree when they describe
# an image, and how do systems compare?
# Each tab has an example: press the button
# to run it. The book explains every field.

query Words {
  dataset(name: "scenes") {
    imageCount
    captionCount
    words(first: 10) {
      nodes {
        text
        # Images in which 0, 1, … captions use it.
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
  `# Systems with word scores, beside people.

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
  `# What people and systems wrote about images.

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
  `# One word: how much people agree on it, and
# a model of how they use it.

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
  `# Metrics that this server can compute.

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
