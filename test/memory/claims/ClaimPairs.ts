/** Pairs of claims by what is expected of them; made up for these tests, several for every class of rules. */
import type { Relation } from "../../../src/memory/claims/ClaimCompare.ts"

export type ClaimPair = readonly [stored: string, written: string]

/** One claim in other words. */
export const same: Readonly<Record<string, ReadonlyArray<ClaimPair>>> = {
  "other clothes of a value": [
    ["The shop opens at 8:30 am.", "The shop opens at half past eight in the morning."],
    ["The film starts at 20:00.", "The film begins at 8 pm."],
    ["The total is 1,500 dollars.", "The total is $1500."],
    ["The default timeout is thirty seconds.", "The default timeout is 30s."],
    ["The course takes ninety minutes.", "The course takes 1.5 hours."],
    ["The course takes an hour and a half.", "The course takes 90 minutes."],
    ["Lunch is at noon.", "Lunch is at 12:00."],
    ["The fee is 15 euros.", "The fee is €15."],
    ["The launch is on 3 May 2027.", "The launch is on 2027-05-03."],
    ["The office is on the 3rd floor.", "The office is on the third floor."],
    ["The sauna runs at 90 °C.", "The sauna runs at 90 degrees Celsius."],
    ["The tool needs version 2.1.", "The tool needs 2.1."],
    ["The queue keeps 1.5k messages.", "The queue keeps 1500 messages."],
    ["She trains twice a week.", "She trains two times per week."],
    ["The band meets every fortnight.", "The band meets every two weeks."],
    ["The price is 30 US dollars.", "The price is $30."],
    ["Half of the team is remote.", "50% of the team is remote."]
  ],
  "phrases said in several ways": [
    ["Just so you know, the pump is broken.", "The pump is out of order."],
    ["Tom is able to swim.", "Tom can swim."],
    ["Guests are not allowed to smoke.", "Guests are forbidden to smoke."],
    ["Nobody but Ruth may enter.", "Only Ruth may enter."],
    ["Tom is in charge of the store.", "Tom manages the store."],
    ["The pass is valid until 3 May 2027.", "The pass expires on 3 May 2027."],
    ["Anna is the one who leads the team.", "Anna leads the team."],
    ["It is Anna who leads the team.", "Anna leads the team."],
    ["The clinic lies in the United Kingdom.", "The clinic lies in the UK."],
    ["Jasper is an eye doctor.", "Jasper is an ophthalmologist."],
    ["The gate isn't open.", "The gate is shut."],
    ["read_timeout: 60s", "The read timeout is 1 minute."]
  ],
  "told from the other side": [
    ["Anna sold the car to Ben.", "Ben bought the car from Anna."],
    ["Ben borrowed the drill from Anna.", "Anna lent the drill to Ben."],
    ["Anna is taller than Ben.", "Ben is shorter than Anna."],
    ["Paul is Mary's husband.", "Mary is Paul's wife."],
    ["Edgar is Mona's boss.", "Mona reports to Edgar."],
    ["The linter runs before the tests.", "The tests run after the linter."],
    ["Secrets must never be logged.", "Never log secrets."],
    ["Two engineers must approve every change.", "Every change must be approved by two engineers."],
    ["Mia rents the flat from Jan.", "Jan rents the flat to Mia."]
  ],
  "synonyms and inflections": [
    ["Laura bought a car.", "Laura purchased an automobile."],
    ["Jack lives in Dublin.", "Jack resides in Dublin."],
    ["The meeting has been cancelled.", "The meeting was called off."],
    ["Please reply in French.", "Please answer in French."],
    ["Don't use tabs.", "Do not use tabs."]
  ],
  "other grammar": [
    ["Nina teaches Paul.", "Paul is taught by Nina."],
    ["Emily works for Siemens.", "Emily is employed by Siemens."],
    ["Felix is the owner of the bakery.", "Felix owns the bakery."],
    ["The price of the ticket is 15 euros.", "The ticket costs 15 euros."],
    ["The CEO of Initech is Bill.", "Bill is Initech's CEO."],
    ["On Mondays the team meets at 10 am.", "The team meets at 10 am on Mondays."],
    ["The wifi password is sunflower.", "The password for the wifi is sunflower."],
    ["Otto has a pollen allergy.", "Otto is allergic to pollen."],
    ["Ruth is married to Karl.", "Karl is married to Ruth."],
    ["There are four bedrooms in the house.", "The house has four bedrooms."],
    ["Gina's favourite tree is the birch.", "The birch is the tree Gina likes most."]
  ]
}

/** Claims of which at most one can hold. */
export const conflicting: Readonly<Record<string, ReadonlyArray<ClaimPair>>> = {
  number: [
    ["Iris has three cats.", "Iris has two cats."],
    ["The app needs Python 3.1.", "The app needs Python 3.10."],
    ["Her phone number is 555-0101.", "Her phone number is 555-0102."]
  ],
  "time and date": [
    ["The call is at half past three.", "The call is at quarter past three."],
    ["We deploy on Tuesdays.", "We deploy on Thursdays."],
    ["The deadline is the 5th of June.", "The deadline is the 15th of June."],
    ["The lift is checked monthly.", "The lift is checked yearly."],
    ["Meet at 7 am.", "Meet at 7 pm."]
  ],
  "unit and currency": [
    ["The parcel weighs 2 kg.", "The parcel weighs 2 lb."],
    ["The ticket costs $20.", "The ticket costs €20."],
    ["The job runs every 5 minutes.", "The job runs every 5 hours."]
  ],
  name: [
    ["Leo's dog is called Bruno.", "Leo's dog is called Rocky."],
    ["The database is hosted on AWS.", "The database is hosted on Azure."],
    ["Eric was born in Toronto.", "Eric was born in Vancouver."]
  ],
  denial: [
    ["Sarah speaks German.", "Sarah doesn't speak German."],
    ["Max drinks coffee with milk.", "Max drinks coffee without milk."],
    ["Omar still smokes.", "Omar quit smoking."],
    ["Jenny used to live in Madrid.", "Jenny lives in Madrid."]
  ],
  opposites: [
    ["The door is locked.", "The door is unlocked."],
    ["The feature flag is on.", "The feature flag is off."],
    ["Rita likes cilantro.", "Rita dislikes cilantro."],
    ["Ludo accepted the offer.", "Ludo turned down the offer."]
  ],
  quantity: [
    ["Every endpoint requires a token.", "Some endpoints do not require a token."],
    ["All users can export data.", "Only admins can export data."],
    ["The cluster has at least 3 nodes.", "The cluster has at most 3 nodes."],
    ["Nobody likes the new logo.", "Everybody likes the new logo."]
  ],
  roles: [
    ["Nina teaches Paul.", "Paul teaches Nina."],
    ["Alice's manager is Carol.", "Carol's manager is Alice."],
    ["Copy the files from staging to production.", "Copy the files from production to staging."],
    ["Run the migration before the deploy.", "Run the migration after the deploy."],
    ["Use npm instead of yarn.", "Use yarn instead of npm."],
    ["Kim is older than Lee.", "Lee is older than Kim."],
    ["The zoo has 2 lions and 3 tigers.", "The zoo has 3 lions and 2 tigers."],
    ["The red car hit the blue truck.", "The blue car hit the red truck."],
    ["The key is under the mat.", "The key is on the mat."],
    ["The server was down.", "The server is down."]
  ],
  change: [
    ["Hannah works at Acme.", "Hannah resigned from Acme."],
    ["Piet lives in Delft.", "Piet moved from Delft to Breda."],
    ["The cluster runs on Jenkins.", "We migrated the cluster from Jenkins to Argo."]
  ],
  "signs and long names": [
    ["The separator is ;", "The separator is ,"],
    ["Status: ✅", "Status: ❌"],
    ["The grade is A+.", "The grade is A-."],
    ["The system is C based.", "The system is C++ based."],
    [`It lies at https://example.com/${"a".repeat(90)}/one`, `It lies at https://example.com/${"a".repeat(90)}/two`],
    ["Anna thinks Bob will win.", "Anna thinks Bob won."]
  ],
  "told from the other side, and turned": [
    ["Anna is taller than Ben.", "Anna is shorter than Ben."],
    ["Paul is Mary's teacher.", "Mary is Paul's teacher."],
    ["The linter runs before the tests.", "The tests run before the linter."],
    ["Lena reports to Omar.", "Omar reports to Lena."]
  ],
  "other grammar, another answer": [
    ["The Halden office has 42 desks.", "There are 35 desks in the Halden office."],
    ["Mira Holt's employer is Stellan AG.", "Mira Holt works for Nordby."],
    ["The Delta pump lacks a filter.", "The Delta pump has a filter."],
    ["Smoking is allowed on the terrace.", "Smoking is prohibited on the terrace."],
    ["The Vale API listens on port 8080.", "Port 9090 is used by the Vale API."],
    ["At least five people must attend.", "At most three people may attend."],
    ["max_upload = 20MB", "The maximum upload is 50 MB."],
    ["She trains twice a week.", "She trains three times a week."],
    ["She trains every week.", "She trains every other week."],
    ["Backups of db-7 run nightly.", "db-7 is backed up weekly."]
  ],
  "another time": [
    ["Rae is married to Tim.", "Rae was married to Tim."],
    ["Anna smokes.", "Anna smoked."],
    ["Ferris is a nurse.", "Ferris will be a nurse."],
    ["The lock had to be replaced.", "The lock must be replaced."]
  ],
  "narrowly another claim": [
    ["At the clinic only nurses can open the cabinet.", "Nurses can open the cabinet only at the clinic."],
    ["The lamp in the hall is broken.", "The lamp under the hall is broken."],
    ["The soup isn't hot.", "The soup is cold."],
    ["Nobody but Mia knows the code.", "Nobody knows the code."],
    ["Ida is the tallest.", "Ida is tall."]
  ],
  exclusion: [
    ["Dana is retired.", "Dana works as a nurse at the clinic."],
    ["Dana lives alone.", "Dana shares a house with her sister."],
    ["The old mill was torn down.", "The old mill stands by the river."],
    ["The archive is read-only.", "Users can write to the archive."],
    ["Rae is married to Tim.", "Rae is single."],
    ["Julia eats ham every morning.", "Julia is a vegan."],
    ["Uwe is teetotal.", "Uwe drinks beer after work."]
  ]
}

/** Two things, or two facts of one thing. */
export const compatible: Readonly<Record<string, ReadonlyArray<ClaimPair>>> = {
  "another subject": [
    ["Jonas works at Siemens.", "Petra works at Bosch."],
    ["The frontend listens on port 3000.", "The backend listens on port 8000."],
    ["Paul's wife is a doctor.", "Paul's sister is a lawyer."],
    ["Tom's car is red.", "Tom's bike is blue."],
    ["The flight from Oslo to Rome is delayed.", "The flight from Oslo to Paris is delayed."],
    ["connect_retries = 5", "read_retries = 30"],
    ["max_threads = 64", "max_idle_threads = 8"],
    ["The lift in block A is broken.", "The lift in block B works."],
    ["Dana is vegan.", "Dana's husband eats steak."],
    ["Dana is retired.", "Dana's daughter works at the clinic."],
    ["Paul's car costs 20,000 euros.", "Paul's car tyres cost 400 euros."]
  ],
  "another season or end": [
    ["In spring the garden opens at 9.", "In autumn the garden opens at 11."],
    ["The shop opens at 9.", "The shop closes at 18:00."],
    ["The contract was signed on 2 March.", "The contract ends on 1 July."]
  ],
  "another attribute": [
    ["The door is 2 metres high.", "The door has a width of 200 cm."],
    ["Emma has a cat.", "Emma has a dog."],
    ["The user likes hiking.", "The user likes swimming."],
    ["The sofa is grey.", "The sofa seats four people."],
    ["Grace is the product owner.", "Hugo is the scrum master."],
    ["The invoice is due on 3 March.", "The invoice total is 450 euros."],
    ["Rosa visited Japan in 2019.", "Rosa visited Peru in 2021."],
    ["Anna is a manager.", "Anna has a manager."],
    ["Mira Holt owns a canoe.", "Mira Holt owns a kayak."],
    ["Tom likes jazz.", "Tom does not like opera."],
    ["Dana is retired.", "Dana worked as a nurse for thirty years."]
  ],
  "two denials": [["The heron was not seen in the reeds.", "The otter was not seen at the weir."]]
}

/** Other languages: what must never be called the same, and what is. */
export const abroad: Readonly<Record<Extract<Relation, "same" | "differs" | "other">, ReadonlyArray<ClaimPair>>> = {
  same: [
    ["Gerda wohnt in Kassel.", "Gerda lebt in Kassel."],
    ["Die Sitzung beginnt um 14 Uhr.", "Die Sitzung startet um 14:00 Uhr."],
    ["Noémie habite à Nantes.", "Noémie vit à Nantes."],
    ["Der Ofen kostet dreihundert Euro.", "Der Ofen kostet 300 €."],
    ["会议下午三点开始。", "会议在15:00开始。"],
    ["La tienda abre a las nueve de la mañana.", "La tienda abre a las 9:00."],
    ["나는 고양이가 3마리 있다.", "나는 고양이가 세 마리 있다."]
  ],
  differs: [
    ["Torben arbeitet bei Lindwerk.", "Torben arbeitet nicht mehr bei Lindwerk."],
    ["Der Testserver ist eingeschaltet.", "Der Testserver ist ausgeschaltet."],
    ["De lamp staat aan.", "De lamp staat uit."],
    ["Je mange de la viande.", "Je ne mange plus de viande."],
    ["La riunione è lunedì.", "La riunione è martedì."],
    ["La oficina abre a las 9:00.", "La oficina abre a las 10:00."],
    ["Él habla alemán.", "Él no habla alemán."],
    ["A loja está aberta.", "A loja está fechada."],
    ["Он не курит.", "Он курит."],
    ["小禾对花生过敏。", "小禾对花生不过敏。"],
    ["ハルカは肉を食べる。", "ハルカは肉を食べない。"],
    ["La bici de Nora es roja.", "La bici de Nora es verde."],
    ["Está permitido nadar en el lago.", "Está prohibido nadar en el lago."],
    ["Il museo Carlotti accetta contanti.", "Al museo Carlotti i contanti non sono accettati."],
    ["Der Hof Lindau hat 30 Kühe.", "Auf dem Hof Lindau stehen 45 Kühe."]
  ],
  other: [
    ["Gesine spielt Geige.", "Gesine spricht Dänisch."],
    ["Notre chat s'appelle Moka.", "Notre chien s'appelle Filou."],
    ["El frontend usa Vue.", "El backend usa Django."],
    ["小禾的姐姐是老师。", "小禾的弟弟是厨师。"],
    ["Irene Salas toca el piano.", "Irene Salas nació en Vigo."],
    ["Le quai A est fermé.", "Le quai B est ouvert."]
  ]
}
