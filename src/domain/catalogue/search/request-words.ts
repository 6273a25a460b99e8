/**
 * Words with which people ask for something, in the languages of the marketplace. They say little about the agent that
 * answers, although few agents have them. Without accents, as `without_accents` writes them.
 */
const REQUEST_WORDS = {
  english: `please want wants need needs needed require looking look search find finds help helps helping someone somebody
    something anyone anything give gives get gets show shows tell tells let make makes making do does like would could
    should must able agent agents tool tools bot service app application assistant program software thing things way ways
    whether my mine our ours me us i we you im id ive lets use using used automatically quickly easily good best new take
    takes keep keeps put puts every`,
  german: `bitte will mochte mochten brauche brauchen benotige suche suchen finde finden hilf hilfe helfen jemand jemanden
    etwas gib geben zeig zeige sag sage kann kannst konnen konnte soll sollte lass machen mach macht tun agent agenten
    werkzeug dienst programm assistent mein meine meinen meiner unser unsere unseren automatisch schnell einfach gut beste
    gerne damit moglichst`,
  french: `svp plait veux veut voudrais besoin cherche chercher trouve trouver aide aider quelqu quelque chose donne donner
    montre montrer dis dire peux peut pouvez faut faire fais fait agent outil service programme assistant mon ma mes notre
    nos automatiquement rapidement simplement bon meilleur aimerais souhaite`,
  spanish: `favor quiero quisiera necesito busco buscar encontrar encuentra ayuda ayudar ayudame alguien algo dame dar
    muestra mostrar dime decir puede puedes pueda hacer haz hace agente herramienta servicio programa asistente mi mis
    nuestro nuestra nuestros automaticamente rapidamente bueno mejor gustaria`,
  portuguese: `quero queria preciso procuro procurar encontrar ajuda ajudar alguem algo mostre diga pode fazer agente
    ferramenta servico programa assistente meu minha meus minhas nosso nossa`,
  italian: `favore voglio vorrei bisogno cerco cercare trovare aiuto aiutare aiutami qualcuno qualcosa dammi mostra dimmi
    puo fare agente strumento servizio programma assistente mio mia miei mie nostro nostra`,
  dutch: `alstublieft wil zoek zoeken nodig vinden hulp helpen iemand iets geef toon kan maken doen agent hulpmiddel
    dienst programma assistent mijn onze ons`,
  russian: `пожалуиста хочу нужно нужен нужна ищу наити помоги помочь кто-то что-нибудь дать покажи скажи можно может
    сделать агент инструмент сервис программа помощник мои моя мое мне наш`,
  unspaced: `请 帮 帮我 帮忙 我 我们 我的 的 把 要 想 想要 需要 希望 能 能够 可以 一个 一下 找 寻找 给我 吗 了 是 在 有 这 这个 那 和 并 或 从 到 成 为
    私 何 人 用 欲 助 方 探 下 等 使 私達`,
} as const;

const WORDS = new Set(Object.values(REQUEST_WORDS).flatMap((words) => words.split(/\s+/)));
const HIRAGANA = /^[\u3040-\u309f]+$/;
/** Chinese asks with words that stand next to others, so that their characters are looked for in each pair. */
const ASKING_CHARACTERS = /[请帮我您你们把想要吗呢的了是这那]/;

/** Whether a term of a query belongs to asking, not to the work that is asked for. Hiragana is mostly grammar. */
export function isRequestWord(term: string): boolean {
  return WORDS.has(term) || HIRAGANA.test(term) || ([...term].length <= 2 && ASKING_CHARACTERS.test(term));
}
