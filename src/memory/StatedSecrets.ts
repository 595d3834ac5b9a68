/**
 * Secrets that only the words around them give away: `password: …`, `API_KEY=…`, a bearer header, a password in a URL, a
 * stated PIN. The label says what kind of value may follow, and the value must look like one: prose ("password: must be
 * 12 characters"), numbers that count something, names, references and placeholders are none. Linear time: labels are
 * found once, and what follows each is read within fixed bounds.
 */

/** Labels whose value may be any word. */
const passwords =
  "pass(?:[ _-]?phrase|[ _-]?word|wd|[ _-]?code)|pwd|passwort|kennwort|contraseña|contrasena|clave secreta"
  + "|mot de passe|senha|wachtwoord|hasło|haslo|lösenord|losenord|salasana|adgangskode|parola|şifre|пароль|密码|密碼"
  + "|パスワード|비밀번호|(?<=[_-])pass"
/** Labels whose value is made by a machine, and the two that are also plain words. */
const keys = "(?:api|access|account|auth|client|encryption|license|master|private|secret|service|shared|signing|storage"
  + "|subscription|app|application)[ _-]?key|api[ _-]?token|connection[ _-]?string"
const tokens = "credentials?|bearer|token"
/** Names that mean a password before a sign, and much else elsewhere. */
const shorts = "(?<![\\p{L}\\d])(?:(?:pass|pw)(?=[\"'`]?\\s{0,2}[:=])|pw(?=\\s(?:is|for)\\s))"
const labels = new RegExp(
  `(?<password>${passwords})|(?<short>${shorts})|(?<key>${keys})|(?<token>${tokens})|(?<secret>secret)`,
  "giu"
)

// Between a label and its value: an ending of the name (`_PROD`, `2`), what it is for, and a sign or a verb.
const bridge = new RegExp(
  "(?:[_-]?(?:\\d{1,3}|v\\d{1,2}|prod|production|dev|staging|test|live))?(?:(?![\\p{L}\\p{N}_])(?!-\\p{L})|(?=[は是는은]))"
    + "(?:\\s{0,2}\\([^()\\n]{1,40}\\)|\\s(?:for|to|of|on|at|in|from|für|von|pour|de|para|do|voor)\\s[^\\n:=.\"']{1,48}?)?"
    + "\\\\?[\"'`*_]{0,3}\\s{0,4}"
    + "(?:(?<sign>:=|=>|->|→|={1,2}|[:：は是는은])|(?<verb>is set to|set to|is|was|ist|lautet|est|es|è|é|är|jest|equals|—|–|\\|)(?=\\s))"
    + "[\\s*]{0,4}",
  "iuy"
)
const quotedValue = /\\?(["'`])([^\n"'`\\]{1,128})\\?\1/uy
// The first of a long value is enough to judge it, and bounds what is read again when labels stand inside values.
const bareValue = /[^\s"'`,;&]{1,64}/uy
const adjacentValue = /\s["'`]?([A-Za-z0-9+/_=.~-]{16,128})/uy
// More words, unless the next one is a name with a value of its own.
const restOfLine = /[,;]?[ \t]{1,4}(?![\p{L}\p{N}_]{1,40}\s{0,2}[=:])[\p{L}\p{N}]/uy

const bearerHeader = /\bbearer\s{1,4}["'`]?([A-Za-z0-9._~+/=-]{16,128})/gi
const authorization =
  /authorization["'`]?\s{0,4}[:=]\s{0,4}["'`]?(?:bearer|token|apikey)\s{1,4}([A-Za-z0-9._~+/=-]{8,128})/gi
const basicHeader = /authorization["'`]?\s{0,4}[:=]\s{0,4}["'`]?basic\s{1,4}([A-Za-z0-9+/=]{8,128})/gi
// The user part stops at the slash of the next `://`, so that no stretch is read twice.
const urlPassword = /[a-z0-9+.-]:\/\/[^\s/?#:@"'<>]*:([^\s/?#@"']+)@[^\s@]/gi

// A value that stands for another: said to be hidden, to be filled in, or kept elsewhere.
const standIn = new RegExp(
  "^(?:<.*|(?:~|\\.{1,2})?/(?:[\\w.-]+/)*[\\w.-]+|~/.*|\\[.*|\\$\\{.*|\\$\\(.*|\\$[A-Za-z_]\\w*|\\{\\{?.*|%\\w+%|__\\w+__|[*•●xX.…#_?-]+|.*(?:\\*{3}|•{3}|\\.{3}|…).*"
    + "|(?:your|my|the|some|insert|enter|replace|put|add)[ _-].*|(?:redacted|masked|hidden|removed|omitted|withheld|secret"
    + "|password|passwd|change[ _-]?(?:me|it|this)|replace[ _-]?me|placeholder|example|sample|dummy|todo|tbd|n/?a|none|null"
    + "|nil|undefined|unknown|missing|empty|blank|unset|true|false|yes|no|on|off|default)[!?.]*"
    + "|(?:op|vault|env|file|ssm|awssm|gcpsm|azurekeyvault|ref\\+\\w+|secretref|keyring|https?|arn):.*)$",
  "iu"
)
// A word that says something of the secret instead of stating it.
const descriptor = new RegExp(
  "^(?:required|optional|mandatory|expired|expires|reset|resets|rotated|rotates|changed|unchanged|updated|strong|weak|correct"
    + "|incorrect|wrong|invalid|valid|encrypted|hashed|salted|stored|saved|set|disabled|enabled|allowed|denied|protected|based"
    + "|string|str|text|varchar|char|bytes?|number|int|integer|bool|boolean|object|any|uuid|secretstr|secretstring|authentication"
    + "|auth|login|policy|manager|rotation|same|different|shared|unique|private|public|confidential|sensitive|available|input|token|key|value|user(?:name)?|secret|password|pass|pwd|pin|code"
    + "|bearer|basic|oauth|jwt|opaque|plain|plaintext|cleartext|obligatori[ao]|obligatoire|erforderlich|expirado|abgelaufen)$",
  "i"
)
// Counts, durations, sizes, dates, versions and the names of algorithms.
const measure = new RegExp(
  "^(?:[~<>≤≥]?\\d+(?:[.,]\\d+)*(?:-?(?:ms|s|m|h|d|w|mo|y|k|kb|mb|gb|b|bits?|bytes?|x|%|chars?|characters|words|days?|hours?"
    + "|minutes?|mins?|digits?|tokens?|weeks?|months?|years?))?|\\d{4}-\\d\\d(?:-\\d\\d)?(?:T\\S*)?|\\d{1,2}:\\d\\d\\S*|v\\d[\\d.]*"
    + "|oauth-?[12](?:\\.\\d)?|(?:sha|hs|rs|es|ps|aes|md|rsa|utf|base)-?\\d{1,4}\\S{0,8}|rfc-?\\d+|2fa|mfa|ed25519|argon2\\w{0,2}"
    + "|bcrypt|scrypt|pbkdf2\\S*|ip?v[46]|\\d+(?:\\.\\d+){3}(?:/\\d+)?)$",
  "i"
)
// Code that reads a secret from somewhere: a call, a member, a path of names.
const expression =
  /^(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\??\.[\p{L}_$][\p{L}\p{N}_$]*)*[([].*|[\p{L}_$]+\d?(?:\??\.[\p{L}_$]+\d?)+[?.]{0,2}(?:\[.*)?)$/u
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A name made of words and small numbers (`prod-db-credentials`, `projects/acme/secrets/db`): says where, not what. */
const isName = (value: string): boolean =>
  /^[\p{L}\p{N}_./:@#-]+$/u.test(value) &&
  value.split(/[-_./:@#]+/).every((part) => /^(?:\p{L}+|v?\d{1,4}|\p{L}{1,4}\d{1,3}\p{L}?)?$/u.test(part)) &&
  /[-_./:@#]|^\p{L}+$/u.test(value)

/** Shannon entropy of the characters, in bits a character. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

// Random hex of 16 digits has about 3 bits a character; words and identifiers of that length with a digit have less spread.
const RANDOM_BITS = 2.9

const isRandom = (value: string): boolean =>
  value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !isName(value) && entropy(value) >= RANDOM_BITS

/** Letters with digits or signs among them, as people and machines make passwords, and prose does not. */
const isMixed = (value: string, least: number): boolean =>
  value.length >= least && /\p{L}/u.test(value) && (/\d/.test(value) || /[!@#$%^&*+?~]/.test(value.slice(0, -1)))

const isNothing = (value: string): boolean => standIn.test(value) || measure.test(value) || expression.test(value)

const labelKinds = ["password", "short", "key", "token", "secret"] as const
type Label = typeof labelKinds[number]

// How long a value of letters and digits must be behind each label; a short one behind "token" is a word ("token: step12").
const shortest: Record<Label, number> = { password: 5, short: 6, key: 6, token: 8, secret: 6 }

interface Stated {
  readonly value: string
  /** What kind of label it stands behind. */
  readonly label: Label
  readonly sign: string | undefined
  readonly quoted: boolean
  /** More words follow on the line. */
  readonly goesOn: boolean
}

const isSecret = ({ goesOn, label, quoted, sign, value }: Stated): boolean => {
  const password = label === "password"
  if (password && /^\d{4,}$/.test(value)) return !goesOn
  // Most of what follows a key's label is plain words, told by the cheapest look first.
  if (!password && label !== "secret" && !/[\d!@#$%^&*+?~]/.test(value)) return false
  if (label === "secret" && !/[\d!@#$%^&*+?~]|^\p{L}+$/u.test(value)) return false
  if (isNothing(value) || descriptor.test(value)) return false
  if (/\s/.test(value)) return password && quoted && sign !== undefined && isMixed(value, 8)
  const letters = /^\p{L}+$/u.test(value)
  if (password) {
    if (value.includes("/") && isName(value)) return false
    if (!letters) return isMixed(value, shortest.password) || (sign !== undefined && !goesOn && value.length >= 6)
    return quoted ? value.length >= 4 : sign !== undefined && !goesOn && value.length >= 4
  }
  if (letters) {
    return label === "secret" && sign === "=" && !goesOn && value.length >= 6 &&
      !/^(?:new|get|await|self|this|process)$/i.test(value)
  }
  if (isName(value)) return false
  // In a sentence that goes on, one digit may be part of a word (`team2gether`).
  return (isMixed(value, shortest[label]) && (sign !== undefined || !goesOn || /\d.*\d/.test(value))) ||
    (uuid.test(value) && sign !== undefined)
}

const at = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/**
 * A label inside another word is none, save after a lower-case letter where a capital begins the next one
 * (`dbPassword`), and in names all in capitals (`PGPASSWORD`).
 */
const beginsWord = (text: string, index: number, label: string): boolean => {
  const before = text.slice(Math.max(0, index - 1), index)
  return !/[\p{Script=Latin}\p{Script=Cyrillic}\d]/u.test(before) ||
    (/\p{Ll}|\d/u.test(before) && /\p{Lu}/u.test(text.slice(index, index + 1))) ||
    (/\p{Lu}/u.test(before) && label === label.toUpperCase())
}

const valueAfter = (
  text: string,
  index: number
): { readonly value: string; readonly end: number; readonly quoted: boolean } | undefined => {
  const quoted = at(quotedValue, text, index)
  if (quoted !== null) return { value: quoted[2] ?? "", end: quotedValue.lastIndex, quoted: true }
  const start = /["'`]/.test(text.slice(index, index + 1)) ? index + 1 : index
  const bare = at(bareValue, text, start)
  return bare === null
    ? undefined
    : { value: bare[0].replace(/[.:!?)\]}>*\\]{1,4}$/u, ""), end: bareValue.lastIndex, quoted: false }
}

const spoken: Record<Label, string> = {
  password: "a password",
  short: "a password",
  key: "a secret key",
  token: "a secret token",
  secret: "a secret"
}

const assignmentKind = (text: string): string | undefined => {
  for (const label of text.matchAll(labels)) {
    if (!beginsWord(text, label.index, label[0])) continue
    const end = label.index + label[0].length
    const kind = labelKinds.find((one) => label.groups?.[one] !== undefined) ?? "token"
    const between = at(bridge, text, end)
    if (between !== null) {
      const found = valueAfter(text, bridge.lastIndex)
      const stated = found !== undefined && isSecret({
        value: found.value,
        label: kind,
        sign: between.groups?.["sign"],
        quoted: found.quoted,
        goesOn: at(restOfLine, text, found.end) !== null
      })
      if (stated) return spoken[kind]
      continue
    }
    const next = at(adjacentValue, text, end)?.[1]?.replace(/[.]{1,3}$/, "")
    if (next !== undefined && !isNothing(next) && !uuid.test(next) && isRandom(next)) {
      return spoken[kind]
    }
  }
  return undefined
}

const headerKind = (text: string): string | undefined => {
  for (const [, token] of text.matchAll(bearerHeader)) {
    if (token !== undefined && !isNothing(token) && isRandom(token)) return "a bearer token"
  }
  for (const [, token] of text.matchAll(authorization)) {
    if (token !== undefined && !isNothing(token) && !isName(token) && isMixed(token, 8)) return "a bearer token"
  }
  for (const [, token] of text.matchAll(basicHeader)) {
    if (token !== undefined && Buffer.from(token, "base64").toString("latin1").includes(":")) {
      return "a password in a header"
    }
  }
  return undefined
}

// Nothing but a password stands there, so a plain word is one; only what is masked or filled in later is not.
const isFilledInLater = /^(?:[*•xX.…]+|[<[{$%].*|(?:your|my)[_-].*|redacted|.*\*{3}.*)$/i

/** A password in a URL. */
export const urlKind = (text: string): string | undefined => {
  for (const [, password] of text.matchAll(urlPassword)) {
    if (password !== undefined && !isFilledInLater.test(password)) return "a password in a URL"
  }
  return undefined
}

const pinWords =
  "(?:(?<![\\p{L}\\p{N}_-])|(?<=(?:my|user|card|atm|bank|sim|door|account|debit|credit|phone|security|login|access|alarm"
  + "|lock)[_-]?))(?:pin|пин|geheimzahl|暗証番号)"
const pinName =
  "(?:[\\s_-]?(?:code|number|no|nr|nummer|koodi|kod|kode|código|codigo|код|番号))?(?=[は是는은]|[^\\p{L}\\p{N}]|$)"
const pinPurpose = "(?:\\s(?:for|of|to|on|für|von|de|del|pour|per|para)\\s[^\\n:=\\d]{1,40}?)?"
const pinDigits =
  "[\"'`*]{0,3}(\\d{4,8})(?![\\d]|[.,:/-]\\d|[\\s-]{0,2}(?:digits?|characters|stellen|chiffres|cifras|d[íi]gitos|cyfr))"
const statedPin = new RegExp(
  `${pinWords}${pinName}${pinPurpose}["'\`*]{0,3}\\s{0,4}(?:[:：=#は是는은]|->|(?<=\\s)(?:is|was|ist|lautet|est|es|è|é|är|jest|это)(?=\\s))\\s{0,4}${pinDigits}`,
  "iu"
)
const barePin = new RegExp(`(?<![\\p{L}\\p{N}_-])PIN(?: code| number)? ${pinDigits}`, "u")

/** A PIN behind a sign or a verb. */
export const statedPinKind = (text: string): string | undefined => statedPin.test(text) ? "a PIN" : undefined

/** The kind of the first stated secret, in words that are safe to show, else undefined. */
export const statedSecretKind = (text: string): string | undefined =>
  urlKind(text) ?? headerKind(text) ?? assignmentKind(text) ??
    (/\d{4}/.test(text) && (statedPin.test(text) || barePin.test(text)) ? "a PIN" : undefined)
