/**
 * The numbers and addresses of the table in `SensitivityCases`: test numbers that card schemes and standards publish, numbers
 * reserved for examples, and numbers that look like them.
 */
import type { Json } from "../../src/kernel/Json.ts"
import type { Sensitivity } from "../../src/memory/MemoryModel.ts"

export interface Case {
  readonly value: Json
  readonly label: Sensitivity
  readonly memory_key?: string
}

export const all = (label: Sensitivity, values: ReadonlyArray<Json>): ReadonlyArray<Case> =>
  values.map((value) => ({ value, label }))

/** Numbers checked by their issuer's rule: test numbers that the card schemes publish. */
export const numbers = all("high", [
  "4111111111111111",
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "card 4012.8888.8888.1881 on file",
  "5555555555554444",
  "5105 1051 0510 5100",
  "2223003122003222",
  "378282246310005",
  "3782 822463 10005",
  "3714-496353-98431",
  "6011111111111117",
  "30569309025904",
  "3056 930902 5904",
  "3530111333300000",
  "3400 0000 0000 009",
  "3000 0000 0000 04",
  "5500 0000 0000 0004",
  "123-45-6789",
  "6200000000000005",
  "4222222222222",
  "visa 4111 1111 1111 1111 12/27 cvc 123",
  "pay with 4111 1111 1111 1111 123",
  "4111–1111–1111–1111",
  "４１１１ １１１１ １１１１ １１１１",
  "4111\u200B1111\u200B1111\u200B1111",
  { card: 4111111111111111 },
  { payment: { number: "4242424242424242" } },
  "SSN 219-09-9999",
  "078-05-1120",
  "ssn: 123456789",
  "123 45 6789",
  "her social security number is 123 45 6789",
  "social security no. 123456789",
  "123456789 (SSN)",
  { ssn: "123456789" },
  { social_security_number: 123456789 }
])

export const contacts = all("medium", [
  "write to maria.lopez@example.com",
  "Ops list: ops+alerts@mail.example.co.uk.",
  "<bob@example.org>",
  "jürgen@müller.example.de",
  { email: "ann@example.com" },
  "owner=ann_b@example.io;",
  "DE89 3704 0044 0532 0130 00",
  "IBAN: GB29NWBK60161331926819",
  "pay to fr14 2004 1010 0505 0001 3M02 606 by Friday",
  "NL91ABNA0417164300 belongs to Ann",
  "NO9386011117947",
  "call +1 213 373 4253",
  "+442079460958",
  "+49 (0)30 901820",
  "+49 30 901820",
  "+39 347 123 4567",
  "+86 138 0013 8000",
  "0044 20 7946 0958",
  "(212) 555-0123",
  "+1 555 123 4567",
  "+1 (123) 456-7890",
  "(555) 123-4567",
  "555-123-4567",
  "phone: 123-456-7890",
  "phone 555-1234",
  "212-555-0123",
  "212.555.0123",
  "1-800-555-0199",
  "06 12 34 56 78",
  "020 7946 0958",
  "07700 900123",
  "phone: 2125550123",
  "Telefon 030 901820",
  "Handy: 0171 1234567",
  "телефон 8 (495) 123-45-67",
  "手机: 13800138000",
  "reach him at 5550123 4",
  { phone: "2125550123" },
  { contact: { mobile: 4915112345678 } }
])
