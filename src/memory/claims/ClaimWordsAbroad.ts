/**
 * The few hundred commonest verbs and states of claims in other languages than English: forms of one verb folded to one
 * concept, verbs that answer one question, verbs that change a value, opposite states. Everything else compares by its
 * letters, so that what is not listed is at worst a difference too many.
 */
import { folded } from "../../platform/Analyzer.ts"
import type { Language } from "./ClaimLanguage.ts"

const groups: Partial<Record<Language, string>> = {
  de: `wohnen wohnt wohne lebt lebe leben wohnte lebte
    arbeiten arbeitet arbeite
    beginnen beginnt fängt startet anfangen startete begann
    enden endet aufhören schließt
    mögen mag gern gerne liebt liebe
    heißen heißt heisst name genannt
    kosten kostet preis
    umziehen umgezogen zog gezogen zieht
    verschieben verschoben verlegt verlegen
    essen isst esse isst
    trinken trinkt trinke
    sprechen spricht spreche
    haben besitzt
    brauchen benötigt braucht
    verwenden nutzt benutzt verwendet nutzen benutzen
    auto wagen
    arzt doktor
    telefon handy
    geburtstag geboren`,
  fr: `habiter habite vit vivre vis
    travailler travaille bosse
    commencer commence debute demarre
    finir finit termine
    aimer aime adore
    appeler appelle nomme nom
    couter coute prix
    demenager demenage
    deplacer deplacee deplace reportee reporte decalee decale
    manger mange
    parler parle
    utiliser utilise
    voiture auto`,
  es: `vivir vive vivo reside
    trabajar trabaja trabajo
    empezar empieza comienza inicia
    terminar termina acaba
    gustar gusta encanta
    llamar llama nombre
    costar cuesta precio vale
    mudar mudo mudado traslado
    mover movio movida aplazada pospuso cambio
    comer come como
    hablar habla hablo
    usar usa utiliza
    coche carro auto`,
  it: `vivere vive abita vivo abito risiede
    lavorare lavora lavoro
    iniziare inizia comincia
    finire finisce termina
    piacere piace
    chiamare chiama nome
    costare costa prezzo
    trasferire trasferito trasferita
    spostare spostata spostato rinviata rinviato
    usare usa utilizza
    macchina auto`,
  pt: `morar mora vive moro vivo reside
    trabalhar trabalha trabalho
    comecar comeca inicia
    terminar termina acaba
    gostar gosta adora
    chamar chama nome
    custar custa preco
    mudar mudou mudouse
    adiar adiada adiado movida
    usar usa utiliza
    carro automovel`,
  ru: `жить живет живу живем проживает проживаю
    работать работает работаю трудится
    начинаться начинается стартует
    закрываться закрывается
    стоить стоит`,
  pl: `mieszkac mieszka mieszkam zamieszkuje
    pracowac pracuje zatrudniona zatrudniony
    zaczynac zaczyna rozpoczyna`,
  nl: `wonen woont woon leeft
    werken werkt werk
    beginnen begint start
    eindigen eindigt
    houden houdt
    heten heet naam
    kosten kost prijs
    verhuizen verhuisde verhuisd
    verplaatsen verplaatst verzet
    gebruiken gebruikt`
}

const many = new Set(
  `mogen aimer gustar piacere gostar houden gillar lubi любит люблю любят 喜 欢 好 き 好きです 좋아한다 좋아해요 좋아합니다
  sprechen parler hablar habla parla fala spreekt talar говорит 说 話 haben tiene tem ha heeft har ma иметь`.split(
    /\s+/
  ).map((word) => folded(word))
)

/** Verbs of which a subject has several objects: liking, speaking, having. */
export const manyAbroad = (concept: string): boolean => many.has(concept)

const changes = new Set(
  `umgezogen verschoben verlegt geandert mudo mudou mudou-se divorciou-se trasferito trasferita spostata spostato demenage
  deplacee reportee movida aplazada verhuisd verhuisde verplaatst flyttat przeprowadził przeprowadziła przeniesiono odeszła
  odszedł перенесен перенесли переехал taşındı taşıdı ertelendi 搬 迁 离 辞 छोड़कर बदल انتقل انتقلت 바뀌었다 이사했다 옮겼다
  umziehen verschieben wechseln gewechselt geändert demenager deplacer changer change mudar mover cambiar cambio
  trasferire spostare adiar verhuizen verplaatsen flyttade flyttat переехал переехала перенесли 搬 改 换 移 引 越 変
  aktualisiert migriert passe`.split(/\s+/).map((word) => folded(word))
)

const opposed = new Map<string, string>()
for (
  const pair of `ein-aus an-aus ein-ab eingeschaltet-ausgeschaltet angeschaltet-ausgeschaltet aktiviert-deaktiviert
  offen-geschlossen auf-zu verheiratet-geschieden bestanden-durchgefallen warm-kalt gross-klein alt-neu immer-nie
  aktiv-inaktiv öffentlich-privat bezahlt-unbezahlt verheiratet-ledig mag-hasst mogen-hasst mit-ohne vor-nach
  ouvert-fermé ouverte-fermée activé-désactivé activée-désactivée marié-divorcé mariée-divorcée toujours-jamais
  aime-déteste aimer-déteste allumé-éteint allumée-éteinte avec-sans public-privé payée-impayée
  abierto-cerrado abierta-cerrada activado-desactivado activada-desactivada casado-divorciado casada-divorciada
  siempre-nunca encendido-apagado encendida-apagada con-sin gustar-odia público-privado
  aperto-chiuso aperta-chiusa attivo-disattivato acceso-spento accesa-spenta sposato-divorziato sposata-divorziata
  sempre-mai aberto-fechado aberta-fechada ativado-desativado ligado-desligado casado-divorciado sempre-nunca
  aan-uit open-dicht open-gesloten ingeschakeld-uitgeschakeld getrouwd-gescheiden altijd-nooit met-zonder
  开-关 大-小 上-下 高-低 男-女 左-右 冷-热 开-閉 大-小 早-晚 増-減 高-低 有-無 オン-オフ
  включен-выключен включена-выключена открыт-закрыт открыта-закрыта всегда-никогда женат-разведен öppen-stängd på-av
  erlaubt-verboten gestattet-verboten permis-interdit autorisé-interdit permise-interdite autorisée-interdite
  permitido-prohibido permite-prohibido permitida-prohibida permesso-vietato consentito-vietato permessa-vietata
  permitido-proibido permite-proibido permitida-proibida toegestaan-verboden tillåtet-förbjudet tillåten-förbjuden
  dozwolony-zabroniony dozwolone-zabronione dozwolona-zabroniona wolno-zabronione разрешено-запрещено
  разрешён-запрещён можно-нельзя разрешена-запрещена lebt-tot vivant-mort vivo-muerto vivo-morto жив-мёртв
  genehmigt-abgelehnt accepté-refusé acceptée-refusée aceptado-rechazado aceptada-rechazada accettato-rifiutato
  aceito-recusado geaccepteerd-geweigerd принят-отклонён sicher-gefährlich gesund-krank voll-leer plein-vide lleno-vacío
  pieno-vuoto cheio-vazio vol-leeg полный-пустой обязательно-необязательно pflichtig-freiwillig obligatoire-facultatif
  obligatorio-opcional obbligatorio-facoltativo obrigatório-opcional verplicht-optioneel
  otwarty-zamknięty włączony-wyłączony`.split(/\s+/)
) {
  const [one = "", other = ""] = folded(pair).split("-")
  opposed.set(`${one} ${other}`, "")
}

const concepts = new Map<string, string>()
for (const [language, text] of Object.entries(groups)) {
  for (const line of text.split("\n")) {
    const [first = "", ...forms] = line.trim().split(/\s+/).map((word) => folded(word))
    for (const form of [first, ...forms]) concepts.set(`${language} ${form}`, first)
  }
}

/** The concept of an accentless word: the first form of its group, or itself. */
export const wordConcept = (word: string, language: Language): string => concepts.get(`${language} ${word}`) ?? word

export const changesAbroad = (concept: string): boolean => changes.has(concept)
/** Colours, of which a thing has one; forms of one colour stand together. */
const colours = new Map<string, string>()
for (
  const [line, list] of [
    `rot/rote/roter blau/blaue grün/grüne gelb/gelbe schwarz/schwarze weiß/weiss/weiße grau/graue braun/braune lila`,
    `rouge/rouges bleu/bleue/bleus vert/verte/verts jaune/jaunes noir/noire/noirs blanc/blanche/blancs gris/grise brun/brune`,
    `rojo/roja/rojos azul/azules verde/verdes amarillo/amarilla negro/negra/negros blanco/blanca/blancos gris marrón`,
    `rosso/rossa/rossi blu verde/verdi giallo/gialla nero/nera/neri bianco/bianca/bianchi grigio/grigia marrone`,
    `vermelho/vermelha azul/azuis verde/verdes amarelo/amarela preto/preta branco/branca cinza/cinzento castanho`,
    `rood/rode blauw/blauwe groen/groene geel/gele zwart/zwarte wit/witte grijs/grijze bruin/bruine`,
    `красный/красная/красное синий/синяя зелёный/зелёная/зеленый/зеленая жёлтый/жёлтая чёрный/чёрная белый/белая`,
    `czerwony/czerwona niebieski/niebieska zielony/zielona żółty/żółta czarny/czarna biały/biała`,
    `röd/rött/röda blå/blått grön/grönt/gröna gul/gult svart/svarta vit/vitt/vita grå`
  ].entries()
) {
  for (const [at, forms] of list.split(/\s+/).entries()) {
    for (const form of forms.split("/")) colours.set(folded(form), `${colours.get(folded(form)) ?? ""}${line}:${at} `)
  }
}

/** Two colours of one language. */
const otherColour = (one: string, other: string): boolean => {
  const [ours, theirs] = [colours.get(one)?.split(" "), colours.get(other)?.split(" ")]
  if (ours === undefined || theirs === undefined || ours.some((place) => place !== "" && theirs.includes(place))) {
    return false
  }
  return ours.some((place) => theirs.some((far) => place !== "" && far.split(":")[0] === place.split(":")[0]))
}

export const opposesAbroad = (one: string, other: string): boolean =>
  opposed.has(`${one} ${other}`) || opposed.has(`${other} ${one}`) || otherColour(one, other)
