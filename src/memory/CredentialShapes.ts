/**
 * The published shapes of credentials: a prefix that a provider reserves, then a run of fixed length or alphabet. A shape
 * needs no word beside it. Every pattern takes linear time: a literal start, and a run that either cannot begin inside
 * itself (the look-behind) or is bounded. Values that only stand for a key (`ghp_xxxxxxxx…`) match no shape.
 */

/** A kind in words, safe to show, and what it looks like. */
interface Shape {
  readonly kind: string
  readonly pattern: RegExp
}

// Where a token may begin: not inside a longer run of token characters.
const start = "(?<![A-Za-z0-9_-])"
const shape = (kind: string, body: string): Shape => ({ kind, pattern: new RegExp(start + body, "g") })

// Some lines of headers, then what is encoded; on the same line a word of prose is shorter.
const PEM_BODY =
  String.raw`(?:[ \t]*(?:\r|\\r)?(?:\n|\\n)(?:\s|\\[nr])*(?:[A-Za-z-]{1,40}: [^\n\\]{1,80}(?:\s|\\[nr])+){0,6}`
  + "[A-Za-z0-9+/=]{4}|[ \\t]*[A-Za-z0-9+/=]{16})"

// Sources are the providers' own pages on their token formats; lengths are lower bounds where a provider says they may grow.
const shapes: ReadonlyArray<Shape> = [
  {
    kind: "a private key",
    pattern: new RegExp(`-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----${PEM_BODY}`, "g")
  },
  shape("a private key", String.raw`PuTTY-User-Key-File-\d: [\s\S]{0,400}?Private-Lines: \d+\s+[A-Za-z0-9+/=]{16}`),
  shape("a private key", "AGE-SECRET-KEY-1[A-Z0-9]{40}"),
  shape("an AWS access key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  shape("an AWS access key", "ABSK[A-Za-z0-9+/]{100}"),
  shape("a Google API key", "AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
  shape("a Google credential", "(?:GOCSPX-[A-Za-z0-9_-]{24}|ya29\\.[A-Za-z0-9_-]{20}|1//0[A-Za-z0-9_-]{30})"),
  shape("an Azure key", "(?:AccountKey|SharedAccessKey|SharedSecretValue)=[A-Za-z0-9+/]{40}"),
  { kind: "an Azure key", pattern: /(?<=[A-Za-z0-9_~.-]{3})[78]Q~[A-Za-z0-9_~.-]{31}/g },
  {
    kind: "an Azure key",
    pattern:
      /(?<=[A-Za-z0-9+/]{30})\+(?:ABa|AMC|AST|ASt|AIo|AEh|ARm|ACR|AzSe)[A-Za-z0-9+/]{3,10}={1,2}(?![A-Za-z0-9+/=])/g
  },
  { kind: "an Azure access signature", pattern: /[?&;]sig=[A-Za-z0-9%+/]{40}/g },
  shape("a GitHub token", "(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})"),
  shape("a GitLab token", "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[A-Za-z0-9_.-]{20}"),
  shape("a GitLab token", "GR1348941[A-Za-z0-9_-]{20}"),
  shape("a Bitbucket or Atlassian token", "(?:ATBB[A-Za-z0-9]{24}|ATATT3[A-Za-z0-9_=-]{60}|ATCTT3[A-Za-z0-9_=-]{60})"),
  shape(
    "a Slack token",
    "(?:xox[abceoprs]-[A-Za-z0-9-]{10}|xoxe\\.xox[bp]-[A-Za-z0-9-]{16}|xapp-\\d-[A-Za-z0-9-]{16})"
  ),
  {
    kind: "a Slack webhook",
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{6,16}\/[A-Za-z0-9/]{16}/g
  },
  shape("a Stripe key", "(?:[sr]k_(?:live|test)_[A-Za-z0-9]{8}|whsec_[A-Za-z0-9+/]{24})"),
  shape("an Anthropic key", "sk-ant-[a-z0-9]{2,8}-[A-Za-z0-9_-]{24}"),
  shape("an OpenAI key", "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20}"),
  shape("an API key", "sk-(?:[a-z]{2,8}-)?(?:v\\d-)?(?=[A-Za-z]{0,16}\\d)[A-Za-z0-9]{12}"),
  shape("a Hugging Face token", "(?:hf_|api_org_)[A-Za-z0-9]{30}"),
  shape("an npm token", "npm_[A-Za-z0-9]{36}"),
  { kind: "an npm token", pattern: /:_(?:authToken|password|auth)=[A-Za-z0-9+/=_-]{16}/g },
  shape("a PyPI token", "pypi-[A-Za-z0-9_-]{50}"),
  shape("a Docker Hub token", "dckr_[po]at_[A-Za-z0-9_-]{20}"),
  shape("a Twilio key", "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
  shape("a SendGrid key", "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16}"),
  shape("a Mailgun key", "(?:key-[0-9a-z]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?![A-Za-z0-9-])"),
  shape("a Mailchimp key", "[0-9a-f]{32}-us\\d{1,2}(?![A-Za-z0-9-])"),
  shape("a Brevo key", "xkeysib-[a-f0-9]{64}"),
  shape("a Telegram bot token", "\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
  shape(
    "a Discord token",
    "(?:[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27}|mfa\\.[A-Za-z0-9_-]{60})"
  ),
  { kind: "a Discord webhook", pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[A-Za-z0-9_-]{40}/g },
  shape("a Shopify token", "shp(?:at|ca|pa|ss|ua)_[A-Fa-f0-9]{32}"),
  shape("a Square token", "(?:sq0(?:atp|csp)-[A-Za-z0-9_-]{22}|EAAA[A-Za-z0-9_-]{56})"),
  shape("a Heroku key", "HRKU-[A-Za-z0-9_-]{36}"),
  shape("a DigitalOcean token", "do[opr]_v1_[a-f0-9]{64}"),
  shape("a Cloudflare key", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{64}"),
  shape("a Cloudflare key", "cf(?:ut|at|k)_[A-Za-z0-9]{32}"),
  shape("a Datadog key", "(?:ddapp|ddpat|ddapi)_[A-Za-z0-9]{30}"),
  shape("a New Relic key", "(?:NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}|NRII-[A-Za-z0-9_-]{32})"),
  shape("a Vault token", "hv[sbr]\\.[A-Za-z0-9_-]{24}"),
  shape("a Grafana token", "gl(?:sa|c)_[A-Za-z0-9+/]{32}"),
  shape("a Databricks token", "dapi[a-f0-9]{32}"),
  shape("a Linear key", "lin_(?:api|oauth)_[A-Za-z0-9]{32}"),
  shape("a Notion token", "(?:ntn_[A-Za-z0-9]{40}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])"),
  shape("a Postman key", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
  shape("a Supabase key", "(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20})"),
  shape("a Sentry token", "sntry[su]_[A-Za-z0-9+/=_-]{40}"),
  shape("a Tailscale key", "tskey-[a-z]{2,12}-[A-Za-z0-9]{6,24}-[A-Za-z0-9]{16}"),
  { kind: "a Terraform Cloud token", pattern: /(?<=[A-Za-z0-9]{14})\.atlasv1\.[A-Za-z0-9_-]{40}/g },
  shape("a PlanetScale token", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30}"),
  shape("a Doppler token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{36}"),
  shape("a Figma token", "figd_[A-Za-z0-9_-]{36}"),
  shape("a RubyGems key", "rubygems_[a-f0-9]{48}"),
  shape("an Airtable token", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"),
  shape("an API key", "(?:gsk_[A-Za-z0-9]{40}|xai-[A-Za-z0-9]{40}|r8_[A-Za-z0-9]{36}|pplx-[A-Za-z0-9]{40})"),
  shape("a 1Password token", "ops_eyJ[A-Za-z0-9_-]{100}"),
  shape(
    "a JSON Web Token",
    "eyJ[A-Za-z0-9_-]{8,}\\.(?:eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{4}|[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8})"
  )
]

// Every shape holds such a run or beginning; most text holds none and is done here.
const longRun = /[A-Za-z0-9_+/=-]{14}|-----BEGIN /

// What stands for a key is crossed out: `ghp_xxxx…`, `AKIA0000…`.
const crossedOut = /[xX0*.#_-]{10}$/

// Words that say a run is made up, in the run itself.
const madeUp = /(?:your|insert|replace|redacted|placeholder|x{6}|\*{3}|\.{3})/i

/** The kind of the first credential whose shape alone tells it, else undefined. */
export const credentialKind = (text: string): string | undefined => {
  if (!longRun.test(text)) return undefined
  for (const { kind, pattern } of shapes) {
    for (const [match] of text.matchAll(pattern)) {
      if (!crossedOut.test(match) && !madeUp.test(match.slice(0, 80))) return kind
    }
  }
  return undefined
}
