import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { FIRST_ROLES, type IdentityProvider } from './organisation';

type FirstRole = IdentityProvider['default_role'];
interface Values {
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  default_role: FirstRole;
}
const EMPTY: Values = {
  name: '',
  issuer: 'https://',
  client_id: '',
  client_secret: '',
  default_role: 'buyer',
};
const PATH = '/v1/organisations/{org_id}/identity-providers';

/** Adds an identity provider. */
export function NewProvider({ orgId }: { orgId: string }) {
  return (
    <ProviderForm
      open="Add a provider"
      title="Add an identity provider"
      begin={EMPTY}
      isNew
      save={(body) => send('post', PATH, { path: { org_id: orgId }, body })}
    />
  );
}

/** Changes an identity provider. Its issuer stays as it is, and an empty secret leaves the one before in use. */
export function ChangeProvider({ orgId, provider }: { orgId: string; provider: IdentityProvider }) {
  const { provider_id: id, name, issuer, client_id, default_role } = provider;
  return (
    <ProviderForm
      open="Change"
      title="Change the identity provider"
      begin={{ name, issuer, client_id, client_secret: '', default_role }}
      isNew={false}
      save={({ issuer: _issuer, client_secret: secret, ...body }) =>
        send('patch', `${PATH}/{provider_id}`, {
          path: { org_id: orgId, provider_id: id },
          body: { ...body, ...(secret !== '' && { client_secret: secret }) },
        })
      }
    />
  );
}

interface FormProps {
  open: string;
  title: string;
  begin: Values;
  isNew: boolean;
  save: (values: Values) => Promise<unknown>;
}

function ProviderForm({ open: label, title, begin, isNew, save }: FormProps) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [values, setValues] = useState(begin);
  const mutation = useMutation({
    mutationFn: () => save(values),
    onSuccess: () => {
      setValues(begin);
      close();
      return queries.invalidateQueries();
    },
  });
  const field = (name: Exclude<keyof Values, 'default_role'>) => ({
    value: values[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues((before) => ({ ...before, [name]: value })),
    error: problemOf(mutation.error, name),
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {label}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={title}
        action={isNew ? 'Add the provider' : 'Save'}
        mutation={mutation}
        fields={Object.keys(values)}
      >
        <TextInput label="Name" maxLength={80} required data-autofocus {...field('name')} />
        {isNew && (
          <TextInput
            label="Issuer"
            description="The discovery document is read at this address with /.well-known/openid-configuration"
            maxLength={500}
            required
            {...field('issuer')}
          />
        )}
        <TextInput label="Client id" maxLength={500} required {...field('client_id')} />
        <PasswordInput
          label="Client secret"
          description={isNew ? 'It is never shown again' : 'Empty: the present one stays in use'}
          maxLength={1_000}
          required={isNew}
          autoComplete="off"
          {...field('client_secret')}
        />
        <NativeSelect
          label="Role at the first login"
          data={FIRST_ROLES}
          value={values.default_role}
          onChange={({ currentTarget: { value } }) =>
            setValues((before) => ({ ...before, default_role: value as FirstRole }))
          }
          error={problemOf(mutation.error, 'default_role')}
        />
      </FormModal>
    </>
  );
}
