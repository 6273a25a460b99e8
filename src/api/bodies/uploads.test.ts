import { createUploads, UPLOAD_LIMITS } from './uploads';

const tooSlow = () => undefined;

describe('an aborted upload', () => {
  it('keeps no memory, however much of it still arrives', () => {
    const uploads = createUploads(UPLOAD_LIMITS);
    const upload = uploads.open(['account/a'], tooSlow);
    upload.arrived(1_000);
    expect(uploads.heldBytes).toBe(1_000);
    upload.close();
    upload.arrived(1_000);
    expect(uploads.heldBytes).toBe(0);
  });

  it('gets no memory that it waited for', async () => {
    const uploads = createUploads(UPLOAD_LIMITS);
    const upload = uploads.open(['account/a'], tooSlow);
    upload.close();
    await upload.reserve(1_000_000);
    expect(uploads.heldBytes).toBe(0);
  });
});
