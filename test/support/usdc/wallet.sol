// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// A contract account of one key. Its signatures are a byte 01 before that of the key, so that none is taken for the signature
/// of a key itself. `wallet.json` is it compiled like `examples/payments/token.json`.
contract Wallet {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 66 || signature[0] != 0x01) return 0xffffffff;
        bytes32 r = bytes32(signature[1:33]);
        bytes32 s = bytes32(signature[33:65]);
        address signer = ecrecover(digest, uint8(signature[65]), r, s);
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
