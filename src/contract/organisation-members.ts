import { Type } from '@sinclair/typebox';
import { Email } from './account-fields';
import { Credits, named, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { MemberRole, OrgId, Organisation } from './organisations';
import { Window } from './spending-limits';

const tag = 'Organisations';
const auth = 'session';
const UserId = text({ maxLength: 36, pattern: '^usr_[0-9a-f]{32}$' });
const InvitationId = text({ maxLength: 36, pattern: '^oin_[0-9a-f]{32}$' });
const ofOne = strictObject({ org_id: OrgId });
const ofMember = strictObject({ org_id: OrgId, user_id: UserId });

export const MemberBudget = named(
  'MemberBudget',
  strictObject({
    budget_id: Type.String(),
    credits: Type.Integer({ minimum: 0 }),
    window: Window,
    used_credits: Type.Number({
      description: 'Charges of calls that were accepted in the window, and what those in flight hold',
    }),
    left_credits: Credits,
    window_ends_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Null for a budget over a lifetime',
    }),
    time_zone: Type.String({
      description: 'That of the organisation, in which days, weeks and months begin',
      examples: ['UTC'],
    }),
    created_at: Timestamp,
  }),
);
export const memberBudgetExample = {
  budget_id: 'bgt_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  credits: 500,
  window: 'month' as const,
  used_credits: 120,
  left_credits: 380,
  window_ends_at: '2026-12-01T00:00:00.000Z',
  time_zone: 'UTC',
  created_at: '2026-11-02T00:00:00.000Z',
};

const Member = named(
  'Member',
  strictObject({
    user_id: UserId,
    name: Type.String(),
    email: Type.String(),
    role: MemberRole,
    authenticator: Type.Boolean({ description: 'Whether the member has an authenticator app' }),
    joined_at: Timestamp,
    budget: Type.Optional(
      Type.Union([MemberBudget, Type.Null()], {
        description: 'Null for a member without one. Absent for other members where your role sees no money',
      }),
    ),
  }),
);

const Invitation = named(
  'Invitation',
  strictObject({
    invitation_id: InvitationId,
    email: Type.String(),
    role: MemberRole,
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

export const listMembers = defineOperation({
  id: 'listMembers',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations/{org_id}/members',
  tag,
  summary: 'List the members of an organisation',
  auth,
  params: ofOne,
  query: strictObject(pageQuery),
  responses: { 200: page(Member) },
  errors: ['not_found'],
});

export const changeMember = defineOperation({
  id: 'changeMember',
  permission: 'self',
  method: 'patch',
  path: '/v1/organisations/{org_id}/members/{user_id}',
  tag,
  summary: 'Give a member another role',
  description: 'Only owners decide about owners. One owner is always left.',
  auth,
  params: ofMember,
  body: strictObject({ role: MemberRole }),
  responses: { 204: null },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const removeMember = defineOperation({
  id: 'removeMember',
  permission: 'self',
  method: 'delete',
  path: '/v1/organisations/{org_id}/members/{user_id}',
  tag,
  summary: 'Remove a member, or leave the organisation',
  description:
    'The keys that the member made for the organisation end at once, and the next request for it is refused. Calls in progress ' +
    'end, and are paid by the organisation. One owner is always left.',
  auth,
  params: ofMember,
  responses: { 204: null },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const handOverOrganisation = defineOperation({
  id: 'handOverOrganisation',
  permission: 'self',
  method: 'post',
  path: '/v1/organisations/{org_id}/hand-over',
  tag,
  summary: 'Make another member the owner in your place',
  description: 'You become an admin.',
  auth,
  params: ofOne,
  body: strictObject({ user_id: UserId }),
  responses: { 204: null },
  errors: ['not_found', 'forbidden'],
});

export const inviteMember = defineOperation({
  id: 'inviteMember',
  permission: 'self',
  method: 'post',
  path: '/v1/organisations/{org_id}/invitations',
  tag,
  summary: 'Invite an address by mail',
  description:
    'The mail has a link that is valid for seven days and can be used once, by the account with exactly this confirmed address. ' +
    'An address has one open invitation of an organisation.',
  auth,
  params: ofOne,
  body: strictObject({ email: Email, role: MemberRole }),
  responses: { 201: Invitation },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const listInvitations = defineOperation({
  id: 'listInvitations',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations/{org_id}/invitations',
  tag,
  summary: 'List open invitations, newest first',
  auth,
  params: ofOne,
  query: strictObject(pageQuery),
  responses: { 200: page(Invitation) },
  errors: ['not_found', 'forbidden'],
});

export const revokeInvitation = defineOperation({
  id: 'revokeInvitation',
  permission: 'self',
  method: 'delete',
  path: '/v1/organisations/{org_id}/invitations/{invitation_id}',
  tag,
  summary: 'Revoke an invitation',
  auth,
  params: strictObject({ org_id: OrgId, invitation_id: InvitationId }),
  responses: { 204: null },
  errors: ['not_found', 'forbidden'],
});

export const acceptInvitation = defineOperation({
  id: 'acceptInvitation',
  permission: 'self',
  method: 'post',
  path: '/v1/organisations/invitations/accept',
  tag,
  summary: 'Accept an invitation',
  description:
    'Needs the session of the account with the invited address, which must be confirmed. Used, revoked and expired invitations ' +
    'are 404.',
  auth,
  body: strictObject({ token: text({ minLength: 1, maxLength: 200 }) }),
  responses: { 200: Organisation },
  errors: ['not_found', 'forbidden'],
});

export const organisationMemberOperations = [
  listMembers,
  changeMember,
  removeMember,
  handOverOrganisation,
  inviteMember,
  listInvitations,
  revokeInvitation,
  acceptInvitation,
];
