/** Reads `manifest.json` from files that a person drops or chooses. */
export async function manifestOf(files: readonly File[]): Promise<string | undefined> {
  const manifest =
    files.find(({ name }) => name === 'manifest.json') ?? files.find(({ name }) => name.endsWith('.json'));
  return manifest?.text();
}

/** The files of a drop, with those inside of dropped folders one level down. */
export async function filesOfDrop(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const files = await Promise.all(entries.map(filesOfEntry));
  return files.flat();
}

async function filesOfEntry(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [
      await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside = await new Promise<FileSystemEntry[]>((resolve, reject) =>
    reader.readEntries(resolve, reject),
  );
  const files = inside.filter(({ isFile, name }) => isFile && name.endsWith('.json'));
  return (await Promise.all(files.map(filesOfEntry))).flat();
}
