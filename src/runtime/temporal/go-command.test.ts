import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goFailure } from './go-command';
import { buildTemporal } from './temporal-install';

describe('the message of a failed Go command', () => {
  it.each([
    [
      'go: downloading github.com/temporalio/cli v1.8.2\ngolang.org/x/net/http2\n' +
        '/root/mod/cli/main.go:12:2: missing go.sum entry for module providing package x.org/y; to add:\n\tgo get x.org/y',
      /^\/root\/mod\/cli\/main\.go:12:2: missing go\.sum entry .*\n +Check that tools\/temporal-server\/go\.mod and go\.sum/,
    ],
    [
      '{\n\t"Path": "x.org/y",\n\t"Version": "v0.2.0",\n\t"Error": "x.org/y@v0.2.0: Get \\"http://127.0.0.1:9/\\": dial tcp 127.0.0.1:9: connect: connection refused"\n}\n',
      /^"x\.org\/y@v0\.2\.0: Get .* connection refused"\n +Go could not fetch a module\. Let GOPROXY name/,
    ],
    [
      'go: go.mod requires go >= 1.26.8 (running go 1.22.2; GOTOOLCHAIN=local)\n',
      /^go: go\.mod requires go >= 1\.26\.8 .*\n +Install the version of Go/,
    ],
    [
      '# modernc.org/sqlite\nmodernc.org/libc\nwrite /tmp/go-build1/b1: no space left on device\n',
      /no space left on device\n +Free about 3 GB/,
    ],
    [
      '# modernc.org/sqlite\n/usr/local/go/pkg/tool/compile: signal: killed\n',
      /signal: killed\n +The compiler ran out of memory/,
    ],
    ['# a/b\n./main.go:3:1: undefined: x\n', /^\.\/main\.go:3:1: undefined: x$/],
  ])('begins with the line that names the failure, and suggests what to do', (output, wanted) => {
    expect(goFailure(output)).toMatch(wanted);
  });

  it('is empty if Go printed only its progress', () => {
    expect(goFailure('go: downloading x.org/y v1.0.0\ninternal/goarch\n')).toBeUndefined();
  });
});

describe('a build of the Temporal server that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-go-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('throws the first error line and names the file with the whole output', async () => {
    const providers = join(folder, 'module/wci/workflow/compute_provider');
    mkdirSync(providers, { recursive: true });
    const go = join(folder, 'go');
    writeFileSync(
      go,
      `#!/bin/sh\ncase $1 in\nmod) echo '{"Dir": "${join(folder, 'module')}"}' ;;\n` +
        `build) for n in 1 2 3 4 5 6 7 8 9; do echo "x.org/package/$n" >&2; done\n` +
        `echo 'main.go:1:2: undefined: first' >&2; echo 'main.go:3:4: undefined: second' >&2; exit 1 ;;\nesac\n`,
    );
    chmodSync(go, 0o755);
    const target = join(folder, 'temporal-1.32.0');
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    await expect(buildTemporal(target, () => undefined, env)).rejects.toThrow(
      `the build with Go failed: main.go:1:2: undefined: first\n      The whole output: ${target}.build.log`,
    );
  });
});
