import { Type } from '@sinclair/typebox';
import { text } from './common';

/** The email address pattern of the HTML standard; it matches in linear time. */
const EMAIL_PATTERN =
  "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$";

export const Email = text({
  minLength: 3,
  maxLength: 254,
  pattern: EMAIL_PATTERN,
  description: 'Compared without regard to case',
});
export const NewPassword = text({ minLength: 8, maxLength: 1024 });
/** The password of a login. It has no minimum length, so that a short wrong password is 401 and not 422. */
export const Password = text({ minLength: 1, maxLength: 1024 });
/** What else a new password ends. */
export const EndedAccess = {
  end_keys: Type.Optional(
    Type.Boolean({ description: 'Also end all API keys, with those of devices; default: false' }),
  ),
  end_grants: Type.Optional(
    Type.Boolean({ description: 'Also end all OAuth grants with their tokens; default: false' }),
  ),
};
/** A code of an authenticator app, or a recovery code. */
export const TotpCode = text({
  minLength: 1,
  maxLength: 40,
  description: 'A code of the authenticator app, or a recovery code',
});
