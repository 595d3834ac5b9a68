/**
 * A rule for oxlint: shipped code reads the time from Effect's Clock. The language service has such a rule but also reports
 * `new Date(millis)`, which reads no clock; this one reports `new Date()` and `Date.now()` alone.
 */
const isDate = (node) => node.type === "Identifier" && node.name === "Date"
const message = "Read the time from effect/Clock, so that a test can set it."

const noAmbientClock = {
  create: (context) => ({
    CallExpression: (node) => {
      const { callee } = node
      if (callee.type === "MemberExpression" && isDate(callee.object) && callee.property.name === "now") {
        context.report({ node, message })
      }
    },
    NewExpression: (node) => {
      if (isDate(node.callee) && node.arguments.length === 0) context.report({ node, message })
    }
  })
}

// oxlint takes a plugin from the default export
export default { meta: { name: "loom" }, rules: { "no-ambient-clock": noAmbientClock } }
