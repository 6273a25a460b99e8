import { randomBytes } from 'node:crypto';
import { createCipher, parseMasterKeys } from './cipher';

const first = `main:1=${randomBytes(32).toString('base64')}`;
const second = `main:2=${randomBytes(32).toString('base64')}`;
const twelfth = `main:12=${randomBytes(32).toString('base64')}`;
const context = { purpose: 'agent-signing-secret', agent: 'agt_csv_profiler_v1' };
const secret = Buffer.from('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');

/** Made by the first version of this file; the development master key of `config.ts` opens it. */
const KNOWN_SEALED = [
  'AgR4jjYRr/iRvKi+RFrP7FC+UF51krFDfDHZ7WGBatdX8mgAGQABAAdwdXJwb3NlAAxrbm93bi1hbnN3ZXIAAQADZGV2ABYxOwAA',
  'AIAAAAAM2OQxFQsS8P2SlAIRADCFAIzLXUTGEzwr8LY27VHOEvIZsF7B+3yrYpd21bf0v0TQAzieuKlbKqWcuviHX7gCABAAANjr',
  'D7eN7ZS0TcsmXQ6D8/Sz9/hCtIsy4BNls8e4BvAJxy0ejHH9DLPUCUdD0xow1/////8AAAABAAAAAAAAAAAAAAABAAAAEUcqsXx5',
  'UbllPXDowp4Viq8locNmwPet6+IwwPSl6zvBQQ==',
].join('');

function cipherOf(...entries: string[]) {
  return createCipher(parseMasterKeys(entries.join(',')));
}

describe('a sealed value', () => {
  it('is unsealed with its context, whatever its size', async () => {
    const cipher = cipherOf(first);
    for (const plain of [
      Buffer.alloc(0),
      secret,
      randomBytes(1024 * 1024),
      randomBytes(3 * 1024 * 1024 + 17),
    ]) {
      const sealed = await cipher.seal(plain, context);
      expect((await cipher.unseal(sealed, context)).equals(plain)).toBe(true);
      expect(sealed.length - plain.length).toBeLessThan(500);
    }
  });

  it('shows nothing of the plain text and is different each time', async () => {
    const cipher = cipherOf(first);
    const [a, b] = [await cipher.seal(secret, context), await cipher.seal(secret, context)];
    expect(a.includes(secret.subarray(6, 20))).toBe(false);
    expect(a.equals(b)).toBe(false);
  });

  it.each([
    ['another value', { ...context, agent: 'agt_other_v1' }],
    ['a part of it', { purpose: context.purpose }],
    ['more than it', { ...context, extra: 'x' }],
  ])('cannot be unsealed when the context is %s', async (_what, wrong) => {
    const cipher = cipherOf(first);
    await expect(cipher.unseal(await cipher.seal(secret, context), wrong)).rejects.toThrow('another context');
  });

  it('needs a context', async () => {
    await expect(cipherOf(first).seal(secret, {})).rejects.toThrow('needs a context');
  });

  it('cannot be unsealed when any one byte was changed', async () => {
    const cipher = cipherOf(first);
    const sealed = await cipher.seal(secret, context);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(cipher.unseal(changed, context)).rejects.toThrow();
    }
  });

  it('cannot be unsealed when anything was written behind it', async () => {
    const cipher = cipherOf(first);
    for (const size of [0, 100, 1024 * 1024, 1024 * 1024 + 1, 2 * 1024 * 1024]) {
      const sealed = await cipher.seal(Buffer.alloc(size), context);
      expect((await cipher.unseal(sealed, context)).length).toBe(size);
      for (const more of [Buffer.from([0]), sealed.subarray(-60), sealed]) {
        const longer = Buffer.concat([sealed, more]);
        await expect(cipher.unseal(longer, context)).rejects.toThrow('goes on behind its end');
      }
    }
  });

  it('cannot be unsealed when it was cut off', async () => {
    const cipher = cipherOf(first);
    const sealed = await cipher.seal(secret, context);
    for (const length of [0, 1, 34, 60, sealed.length - 1]) {
      await expect(cipher.unseal(sealed.subarray(0, length), context)).rejects.toThrow();
    }
  });
});

describe('master keys', () => {
  it('seal with the last one and unseal with all of them', async () => {
    const old = await cipherOf(first).seal(secret, context);
    const both = cipherOf(first, twelfth, second);
    const fresh = await both.seal(secret, context);
    expect((await both.unseal(old, context)).equals(secret)).toBe(true);
    expect(both.keyOf(old)).toEqual({ name: 'main', version: 1 });
    expect(both.keyOf(fresh)).toEqual({ name: 'main', version: 2 });
    expect(both.keyOf(await cipherOf(second, twelfth).seal(secret, context))).toEqual({
      name: 'main',
      version: 12,
    });
  });

  it('do not unseal a value that a missing key sealed, also under the same name and version', async () => {
    const sealed = await cipherOf(first).seal(secret, context);
    const impostor = `main:1=${randomBytes(32).toString('base64')}`;
    await expect(cipherOf(second).unseal(sealed, context)).rejects.toThrow('cannot be unsealed');
    await expect(cipherOf(twelfth).unseal(sealed, context)).rejects.toThrow('cannot be unsealed');
    await expect(cipherOf(impostor).unseal(sealed, context)).rejects.toThrow('cannot be unsealed');
  });

  it.each([
    ['empty', ''],
    ['without a version', `main=${randomBytes(32).toString('base64')}`],
    ['version 0', `main:0=${randomBytes(32).toString('base64')}`],
    ['too short', `main:1=${randomBytes(16).toString('base64')}`],
    ['too long', `main:1=${randomBytes(33).toString('base64')}`],
    ['not base64', 'main:1=!!!!'],
    ['twice the same', `${first},${first}`],
  ])('are refused when %s, without showing them', (_what, setting) => {
    expect(() => parseMasterKeys(setting)).toThrow(/^MASTER_KEYS: (entry \d|two entries)/);
  });

  it('unseal a value that an earlier release sealed (known answer)', async () => {
    const keys = parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk=');
    const sealed = Buffer.from(KNOWN_SEALED, 'base64');
    expect((await createCipher(keys).unseal(sealed, { purpose: 'known-answer' })).toString()).toBe(
      'sealed once, kept',
    );
  });

  it('recognizes values that are not sealed', () => {
    const { keyOf } = cipherOf(first);
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(40), randomBytes(200), Buffer.alloc(300, 2)]) {
      expect(() => keyOf(bytes)).toThrow('not a sealed value');
    }
  });
});
