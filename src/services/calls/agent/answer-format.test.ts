import { packAnswer, unpackAnswer } from './answer-format';

describe('the plaintext of a stored answer', () => {
  it('is the JSON itself if the answer was JSON, as in earlier releases', () => {
    const json = Buffer.from('{"a":[1,"\\n"]}');
    expect(packAnswer({ json, plain: null })).toBe(json);
    expect(unpackAnswer(json)).toEqual({ json, plain: null });
  });

  it('contains the media type of an answer that was not JSON', () => {
    const plain = { contentType: 'text/plain; x="a\\nb"', isBase64: true };
    const json = Buffer.from(JSON.stringify('line\none'));
    expect(unpackAnswer(packAnswer({ json, plain }))).toEqual({ json, plain });
  });
});
