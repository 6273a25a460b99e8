import { exampleInputs } from './example-inputs';

describe('the example inputs of a version', () => {
  it('are those of its examples, then those of its input schema, each once', () => {
    const document = {
      examples: [{ input: { n: 1 }, output: { n: 2 } }, { input: { n: 2 } }],
      input_schema: { type: 'object', examples: [{ n: 2 }, { n: 3 }] },
    };
    expect(exampleInputs(document)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it.each([
    [{}],
    [{ input_schema: null, examples: 'none' }],
    [{ examples: [null, 1, {}], input_schema: { examples: {} } }],
  ])('are none where the document has none: %j', (document) => {
    expect(exampleInputs(document)).toEqual([]);
  });
});
