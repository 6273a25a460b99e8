import { checksummedAddress, keccak256 } from './evm-address';

describe('keccak256', () => {
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
    ['testing', '5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02'],
  ])('hashes %j', (text, hash) => {
    expect(keccak256(Buffer.from(text)).toString('hex')).toBe(hash);
  });

  it('hashes inputs at and around the size of a block, each differently', () => {
    const hashes = [134, 135, 136, 137, 272].map((size) =>
      keccak256(Buffer.alloc(size, 'a')).toString('hex'),
    );
    expect(new Set(hashes).size).toBe(5);
    expect(hashes[0]).toHaveLength(64);
  });
});

describe('checksummedAddress', () => {
  // the addresses that EIP-55 shows
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('accepts %s in its own case, in lower and in upper case', (address) => {
    const upper = `0x${address.slice(2).toUpperCase()}`;
    expect([address, address.toLowerCase(), upper].map(checksummedAddress)).toEqual([
      address,
      address,
      address,
    ]);
  });

  it.each([
    ['a wrong case', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['39 digits', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'],
    ['41 digits', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed1'],
    ['no prefix', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['an upper-case prefix', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['other letters', '0xgggggggggggggggggggggggggggggggggggggggg'],
    ['the zero address', '0x0000000000000000000000000000000000000000'],
    ['a line break', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n'],
  ])('refuses %s', (_what, address) => {
    expect(checksummedAddress(address)).toBeUndefined();
  });
});
