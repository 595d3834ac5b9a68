/**
 * A small file in the shape of the LoCoMo data set, with words of our own and the misspelt evidence ids that it has.
 */
export const locomoFile = [{
  sample_id: "talk-1",
  conversation: {
    speaker_a: "Ada",
    speaker_b: "Bela",
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: [
      { speaker: "Ada", dia_id: "D1:1", text: "What did you do at the weekend?" },
      { speaker: "Bela", dia_id: "D1:2", text: "I repaired the old loom. ", blip_caption: "a wooden loom" }
    ],
    session_2_date_time: "10:00 am on 2 June, 2023",
    session_2: [{ speaker: "Ada", dia_id: "D2:1", text: "My first cloth is finished." }],
    session_3_date_time: "9:00 am on 3 June, 2023"
  },
  qa: [
    { question: "What did Bela repair?", answer: "a loom", evidence: ["D1:2"], category: 4 },
    { question: "What did they make?", answer: "a loom, a cloth", evidence: ["D1:2; D2:01"], category: 1 },
    { question: "When was the cloth finished?", answer: "June", evidence: ["D:2:1", "D"], category: 2 },
    { question: "Who wove?", answer: "Ada", evidence: [], category: 3 },
    { question: "Where is it?", answer: "unknown", evidence: ["D9:9"], category: 4 },
    { question: "What did Bela break?", adversarial_answer: "nothing", evidence: ["D1:2"], category: 5 }
  ]
}]
