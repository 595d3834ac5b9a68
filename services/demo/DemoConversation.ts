/**
 * What the demonstration remembers: a week of three people and their agent about one release, told in six namespaces so
 * that the runners share them.
 */
export interface Note {
  readonly memory_key: string
  readonly value: string
}

/** Notes by namespace. */
export const conversation: { readonly [namespace: string]: ReadonlyArray<Note> } = {
  planning: [
    {
      memory_key: "release/atlas/date",
      value: "Mira wants Atlas 2.0 out on Thursday the 14th, before the fair opens."
    },
    {
      memory_key: "release/atlas/scope",
      value: "Offline maps and shared routes are in Atlas 2.0; live traffic waits for 2.1."
    },
    { memory_key: "release/atlas/owner", value: "Jonas signs off the release; Mira decides when he is away." }
  ],
  incidents: [
    {
      memory_key: "incident/tiles/cause",
      value: "The tile server ran out of file handles because closed sockets were kept."
    },
    {
      memory_key: "incident/tiles/fix",
      value: "Priya raised the handle limit on Monday and closes sockets in the proxy since Tuesday."
    },
    { memory_key: "incident/tiles/lesson", value: "Watch open handles: an alert fires above eight thousand." }
  ],
  customers: [
    {
      memory_key: "customer/norden/need",
      value: "Norden Logistics drives where there is no network and needs maps for a week offline."
    },
    {
      memory_key: "customer/norden/contact",
      value: "Sven at Norden answers best in the morning and dislikes calls on Fridays."
    },
    { memory_key: "customer/faro/need", value: "Faro Cycling wants routes that a whole club can edit together." }
  ],
  decisions: [
    {
      memory_key: "decision/storage",
      value: "Map tiles are stored as vector tiles; raster tiles were four times the size."
    },
    {
      memory_key: "decision/sync",
      value: "Shared routes sync when a phone is charging, since syncing took a third of a battery."
    },
    {
      memory_key: "decision/licence",
      value: "The map data stays under the open licence, so exports name the contributors."
    }
  ],
  people: [
    { memory_key: "person/priya/work", value: "Priya looks after servers and is on call every second week." },
    { memory_key: "person/jonas/work", value: "Jonas leads the phone app and reviews every change to route editing." },
    { memory_key: "person/mira/work", value: "Mira speaks with customers and keeps the release plan." }
  ],
  retrospective: [
    { memory_key: "retro/good", value: "Testing on a train found the offline bug that no office test had shown." },
    { memory_key: "retro/bad", value: "Two days went into a build machine that nobody had written down." },
    {
      memory_key: "retro/next",
      value: "Next time the release notes are written with each change, not on the last evening."
    }
  ]
}

/** A question that the second gateway answers from what the first took in. */
export const question = { namespace: "incidents", query: "why did the tile server fail" }
